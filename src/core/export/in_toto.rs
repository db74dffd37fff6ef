//! An in-toto Statement v1 (<https://in-toto.io/Statement/v1>) over what a run made, with its proofs as the predicate. It is
//! not signed.

use serde_json::{Value, json};

/// The type of the statement.
const STATEMENT: &str = "https://in-toto.io/Statement/v1";
/// The type of the predicate: a name, described in `docs/data.md`, and no address.
pub const PREDICATE: &str = "urn:steadfast:predicate:plan:v1";

/// Something the statement is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// A path beneath the project, or the name of a mirror.
    pub name: String,
    /// The kind of digest, in in-toto's word, such as `sha256` or `gitTree`.
    pub algorithm: &'static str,
    /// The digest, in hex.
    pub digest: String,
}

/// The statement. `tree` is the digest of the working tree, where it is known; it comes first. A name stands once.
pub fn statement(tree: Option<Subject>, subjects: Vec<Subject>, predicate: &Value) -> Value {
    let mut all: Vec<Subject> = Vec::new();
    for subject in tree.into_iter().chain(subjects) {
        if !all.iter().any(|known| known.name == subject.name) {
            all.push(subject);
        }
    }
    let subject = |s: Subject| json!({ "name": s.name, "digest": { s.algorithm: s.digest } });
    json!({
        "_type": STATEMENT,
        "subject": all.into_iter().map(subject).collect::<Vec<_>>(),
        "predicateType": PREDICATE,
        "predicate": predicate,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_comes_first_and_a_name_once() {
        let subject = |name: &str, algorithm| Subject { name: name.into(), algorithm, digest: "ab".into() };
        let subjects = vec![subject("out/a", "sha256"), subject("out/a", "sha256")];
        assert_eq!(
            statement(Some(subject("tree", "gitTree")), subjects, &json!({ "plan": "x" })),
            json!({
                "_type": "https://in-toto.io/Statement/v1",
                "subject": [
                    { "name": "tree", "digest": { "gitTree": "ab" } },
                    { "name": "out/a", "digest": { "sha256": "ab" } },
                ],
                "predicateType": PREDICATE,
                "predicate": { "plan": "x" },
            })
        );
    }
}
