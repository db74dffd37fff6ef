//! Owns every byte on disk: where things are, what is approved, sessions, run state, ledgers, and how files are replaced.

pub mod approval;
pub mod attach;
pub mod awaken;
pub mod desk;
pub mod digest;
pub mod disk;
pub mod head;
pub mod layout;
pub mod ledger_file;
pub mod leftovers;
pub mod locate;
pub mod lock;
pub mod pending;
pub mod priorities;
pub mod progress;
pub mod proposals;
pub mod request;
pub mod session;
pub mod slot;
pub mod snapshot;
pub mod state_dir;
pub mod tree;
pub mod wakes;

pub use desk::Desk;
pub use head::{By, Head, HeadRead};
pub use locate::{Found, Place};
pub use session::Session;
pub use snapshot::{Attestation, Snapshot};
