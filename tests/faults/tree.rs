//! All that stands beneath a few directories, taken and put back byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Dir,
    File(Vec<u8>),
}

/// Nodes and their permission bits, by path.
pub(crate) type Tree = BTreeMap<PathBuf, (Node, u32)>;

/// Takes everything beneath these roots. A root that is not there has nothing.
pub(crate) fn take(roots: &[&Path]) -> Tree {
    let mut tree = Tree::new();
    let mut rest: Vec<PathBuf> = roots.iter().map(|root| root.to_path_buf()).filter(|root| root.exists()).collect();
    while let Some(path) = rest.pop() {
        let meta = fs::symlink_metadata(&path).unwrap();
        let node = if meta.is_dir() {
            rest.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            Node::Dir
        } else {
            Node::File(fs::read(&path).unwrap())
        };
        tree.insert(path, (node, meta.permissions().mode() & 0o7777));
    }
    tree
}

/// Puts these roots back to what was taken: what came to them meanwhile is gone.
pub(crate) fn put(roots: &[&Path], tree: &Tree) {
    for root in roots.iter().filter(|root| root.exists()) {
        fs::remove_dir_all(root).unwrap();
    }
    // A directory sorts before what is in it.
    for (path, (node, mode)) in tree {
        match node {
            Node::Dir => fs::create_dir(path).unwrap(),
            Node::File(bytes) => fs::write(path, bytes).unwrap(),
        }
        fs::set_permissions(path, fs::Permissions::from_mode(*mode)).unwrap();
    }
}

/// The bytes of a file.
pub(crate) fn bytes<'a>(tree: &'a Tree, path: &Path) -> Option<&'a [u8]> {
    match tree.get(path) {
        Some((Node::File(bytes), _)) => Some(bytes),
        _ => None,
    }
}

/// The files of a tree.
pub(crate) fn files(tree: &Tree) -> impl Iterator<Item = (&PathBuf, &[u8])> {
    tree.iter().filter_map(|(path, (node, _))| match node {
        Node::File(bytes) => Some((path, bytes.as_slice())),
        Node::Dir => None,
    })
}
