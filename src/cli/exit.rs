//! How the tool ends.

use std::process::{ExitCode, Termination};

/// The documented exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: clean.
    Clean,
    /// 1: findings.
    Findings,
    /// 2: wrong usage or unreadable input.
    Usage,
    /// 3: a deadline passed.
    Deadline,
    /// 4: nothing was selected; never green by accident.
    NothingSelected,
    /// 130: interrupted.
    Interrupted,
    /// What the agent behind a tee ended with.
    Passed(u8),
}

impl Exit {
    /// The number.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Usage => 2,
            Self::Deadline => 3,
            Self::NothingSelected => 4,
            Self::Interrupted => 130,
            Self::Passed(code) => code,
        }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self.code())
    }
}

/// Why a command could not do its work.
#[derive(Debug)]
pub(super) struct Failure {
    /// Stable code such as `refrain::disk::unreadable`.
    pub(super) code: &'static str,
    /// A fragment that reads after "failed to".
    pub(super) message: String,
    /// What to do.
    pub(super) help: Option<String>,
    /// How the tool ends.
    pub(super) exit: Exit,
}

impl Failure {
    /// Wrong usage or unreadable input.
    pub(super) fn usage(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), help: None, exit: Exit::Usage }
    }

    /// Adds what to do.
    #[must_use]
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Ends with another code.
    #[must_use]
    pub(super) const fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }
}

impl From<crate::shell::disk::DiskError> for Failure {
    fn from(error: crate::shell::disk::DiskError) -> Self {
        use crate::shell::disk::DiskError;
        let code = match &error {
            DiskError::Read(..) => "refrain::disk::unreadable",
            DiskError::TooLarge(..) => "refrain::disk::too_large",
            DiskError::NotUtf8(..) => "refrain::disk::not_utf8",
            DiskError::Write(..) => "refrain::disk::unwritable",
        };
        Self::usage(code, error.to_string())
    }
}

impl From<crate::shell::git::GitError> for Failure {
    fn from(error: crate::shell::git::GitError) -> Self {
        use crate::shell::git::GitError;
        let code = match &error {
            GitError::Program(_) => "refrain::git::program",
            GitError::Name(_) | GitError::Revision(..) | GitError::Empty(_) => "refrain::git::revision",
            GitError::NotAFile(..) | GitError::TooLarge(_) | GitError::Answer(_) => "refrain::git::unreadable",
        };
        Self::usage(code, error.to_string())
    }
}
