//! The schema of `matrix.yaml`.

use serde_json::{Value, json};

use super::{described, filled, identifier, list, object, word};
use crate::matrix::Required;
use crate::vocab::Case;

pub(super) fn schema() -> Value {
    let agent = object(
        "An agent identity",
        &[
            ("id", identifier()),
            ("names", described(list(&filled()), "What the agent calls itself in agentInfo.name.")),
        ],
        &[],
    );
    let gateway = object(
        "A label of an envelope shape",
        &[
            ("id", identifier()),
            (
                "classifying",
                described(
                    json!({"type": "boolean"}),
                    "Whether the catalogue classifies what this gateway's failures look like.",
                ),
            ),
        ],
        &[],
    );
    let case = object(
        "A correlation case",
        &[
            ("id", word(Case::WORDS)),
            ("required", described(word(Required::WORDS), "By all gateways, or by the classifying ones only.")),
        ],
        &[],
    );
    let scenario = object("A dialect scenario", &[("agent", identifier()), ("id", filled())], &[]);
    object(
        "Which replay fixtures must exist",
        &[("agents", list(&agent)), ("gateways", list(&gateway)), ("cases", list(&case))],
        &[("scenarios", list(&scenario))],
    )
}
