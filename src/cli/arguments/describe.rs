//! What can be typed after `refrain init`, `schema`, `completions` and `man`.

use std::path::PathBuf;

use clap::Args;

use super::words;
use crate::report::schema::SchemaKind;

/// Arguments of `init`.
#[derive(Debug, Args)]
#[command(after_help = INIT_EXAMPLES)]
pub struct InitArguments {
    /// Where; the current folder when absent.
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Gateways whose fixtures to start with.
    #[arg(long, value_name = "GATEWAY", default_value = "claude-direct")]
    pub gateway: Vec<String>,
}

const INIT_EXAMPLES: &str = "\
Examples:
  refrain init                    here
  refrain init recovery-tests     in a folder of its own
  refrain init --gateway litellm  with the cells of another gateway";

/// Arguments of `schema`.
#[derive(Debug, Args)]
#[command(after_help = SCHEMA_EXAMPLES)]
pub struct SchemaArguments {
    /// The format.
    #[arg(value_parser = words::<SchemaKind>(SchemaKind::WORDS))]
    pub kind: SchemaKind,
}

const SCHEMA_EXAMPLES: &str = "\
Examples:
  refrain schema rule > rule.schema.json
  # first line of a rule file, for editors with a YAML language server:
  # yaml-language-server: $schema=rule.schema.json";

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub struct CompletionsArguments {
    /// The shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  refrain completions bash > ~/.local/share/bash-completion/completions/refrain
  refrain completions zsh > ~/.zfunc/_refrain
  refrain completions fish > ~/.config/fish/completions/refrain.fish";

/// Arguments of `man`.
#[derive(Debug, Args)]
#[command(after_help = MAN_EXAMPLES)]
pub struct ManArguments {
    /// The command; the whole tool when absent.
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

const MAN_EXAMPLES: &str = "\
Examples:
  refrain man | man -l -
  refrain man check > refrain-check.1";
