//! The `refrain` binary.

fn main() -> refrain::cli::Exit {
    refrain::cli::run()
}
