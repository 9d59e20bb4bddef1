//! The rules between the files of a corpus, and between a corpus and its matrix.

macro_rules! rules {
    ($($(#[$doc:meta])* $variant:ident = $code:literal => $help:literal,)+) => {
        /// One rule of the matrix or of a corpus as a whole (criteria .17, .18).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum CorpusRule { $($(#[$doc])* $variant,)+ }

        impl CorpusRule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable code of a finding.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => concat!("refrain::", $code),)+ }
            }

            /// What to do about it.
            #[must_use]
            pub const fn help(self) -> &'static str {
                match self { $(Self::$variant => $help,)+ }
            }
        }
    };
}

rules! {
    /// `matrix.yaml` is no matrix.
    MatrixSyntax = "matrix::syntax" => "repair matrix.yaml: `refrain schema matrix` shows its form",
    /// `matrix.yaml` names one thing twice.
    MatrixDuplicate = "matrix::duplicate_entry" => "keep one of the two entries",
    /// `matrix.yaml` names a scenario of an agent that it does not list.
    MatrixAgent = "matrix::unknown_agent" => "list the agent under `agents`",
    /// A required cell has no file.
    MissingCell = "matrix::missing_cell" => "record it with `refrain capture`, or reconstruct it from a document",
    /// A dialect scenario has no file.
    MissingScenario = "matrix::missing_scenario" => "add the file below fixtures/dialects, or remove the entry",
    /// A gateway is declared classifying and its matched terminal does not classify, or the other way round.
    ClassifyingUntrue = "matrix::classifying_untrue"
        => "flip `classifying` in matrix.yaml and in the gateway's fixtures, or repair the catalogue",
    /// A gateway that the matrix does not list.
    UnknownGateway = "fixture::unknown_gateway" => "use a gateway of matrix.yaml, or list the new one there",
    /// An agent that the matrix does not list.
    UnknownAgent = "fixture::unknown_agent" => "use an agent of matrix.yaml, or list the new one there",
    /// A case that the matrix does not list.
    UnknownCase = "fixture::unknown_case" => "use a case of matrix.yaml, or list it there",
    /// A dialect scenario that the matrix does not list.
    UnknownScenario = "fixture::unknown_scenario" => "list the scenario in matrix.yaml",
    /// The document's `classifying` is not its gateway's.
    ClassifyingDisagrees = "fixture::classifying_disagrees" => "matrix.yaml decides; change the document, or both",
    /// The path does not name what the document declares.
    PathDisagrees = "fixture::path_disagrees"
        => "a cell is at fixtures/<gateway>/<case>.json, a scenario at fixtures/dialects/<agent>/<scenario>.json",
    /// Two files declare one cell.
    DuplicateCell = "fixture::duplicate_cell" => "keep one of the two files",
    /// Two files share a session id.
    DuplicateSession = "fixture::duplicate_session" => "give every fixture its own session id",
    /// Two fixtures of one case replay the same frames.
    EqualFrames = "fixture::equal_frames"
        => "record what this gateway really sends; two names for one envelope prove nothing",
    /// The frames are not what the case claims.
    CaseShape = "fixture::case_shape" => "change the frames or the case: a cell proves something only when its frames have the case's shape",
}
