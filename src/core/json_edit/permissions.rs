//! The rules in `permissions.allow` of a settings text (Claude Code): commands that run without a question.

use super::EditError;
use super::hooks::{is_member, unique_member};
use super::place::{Edits, cut, found, insert, style, vanishes};
use super::render::New;
use super::scan::{Doc, Item, Node};

/// Adds those rules to `permissions.allow` that do not stand there yet, and creates what is missing.
///
/// # Errors
/// Where the text is no JSON, `permissions` is no object or `permissions.allow` no list, or one of them stands there twice.
pub fn merge_permissions(text: &str, rules: &[String]) -> Result<String, EditError> {
    let doc = Doc::read(text)?;
    let style = style(&doc);
    let mut edits = Edits::default();
    let list = |rules: Vec<&String>| New::List(rules.into_iter().map(|rule| New::Text(rule.clone())).collect());
    let all = || list(rules.iter().collect());
    let Some(root) = &doc.root else {
        found(&doc, &style, &mut edits, &[(Some("permissions"), New::Object(vec![("allow", all())]))]);
        return Ok(edits.apply(text));
    };
    match allow_of(&doc, root)? {
        Found { permissions: None, .. } => {
            insert(&doc, &style, &mut edits, root, &[(Some("permissions"), New::Object(vec![("allow", all())]))]);
        }
        Found { permissions: Some(permissions), allow: None } => {
            insert(&doc, &style, &mut edits, permissions, &[(Some("allow"), all())]);
        }
        Found { allow: Some((allow, items)), .. } => {
            let missing = rules.iter().filter(|rule| !items.iter().any(|item| item.node.text() == Some(rule)));
            let fresh: Vec<_> = missing.map(|rule| (None, New::Text(rule.clone()))).collect();
            if !fresh.is_empty() {
                insert(&doc, &style, &mut edits, allow, &fresh);
            }
        }
    }
    Ok(edits.apply(text))
}

/// Takes exactly these rules out of `permissions.allow`, with the containers that are empty because of that.
///
/// # Errors
/// As [`merge_permissions`].
pub fn remove_permissions(text: &str, rules: &[String]) -> Result<String, EditError> {
    let doc = Doc::read(text)?;
    let style = style(&doc);
    let mut edits = Edits::default();
    let Some(root) = &doc.root else { return Ok(text.to_owned()) };
    let Found { permissions: Some(permissions), allow: Some((allow, items)) } = allow_of(&doc, root)? else {
        return Ok(text.to_owned());
    };
    let ours = |item: &Item| item.node.text().is_some_and(|text| rules.iter().any(|rule| rule == text));
    let doomed: Vec<bool> = items.iter().map(ours).collect();
    if vanishes(&doc, allow, &doomed) {
        let only = is_member(permissions, "allow");
        if vanishes(&doc, permissions, &only) {
            cut(&doc, &style, &mut edits, root, &is_member(root, "permissions"));
        } else {
            cut(&doc, &style, &mut edits, permissions, &only);
        }
    } else if doomed.contains(&true) {
        cut(&doc, &style, &mut edits, allow, &doomed);
    }
    Ok(edits.apply(text))
}

struct Found<'n> {
    permissions: Option<&'n Node>,
    allow: Option<(&'n Node, &'n [Item])>,
}

fn allow_of<'n>(doc: &Doc, root: &'n Node) -> Result<Found<'n>, EditError> {
    let Some(permissions) = unique_member(doc, root, "permissions")? else {
        return Ok(Found { permissions: None, allow: None });
    };
    if permissions.members().is_none() {
        return Err(doc.error(permissions.span.start, "`permissions` is not an object"));
    }
    let Some(allow) = unique_member(doc, permissions, "allow")? else {
        return Ok(Found { permissions: Some(permissions), allow: None });
    };
    let Some(items) = allow.elements() else {
        return Err(doc.error(allow.span.start, "`permissions.allow` is not a list"));
    };
    Ok(Found { permissions: Some(permissions), allow: Some((allow, items)) })
}
