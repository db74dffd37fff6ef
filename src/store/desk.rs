//! A plan's directory, open and locked: the run state, the ledgers and the plan file of one plan.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::core::run::Run;
use crate::store::disk::{self, Dir, How, Read, Readers};
use crate::store::layout;
use crate::store::locate::Place;
use crate::store::lock;
use crate::store::slot::{self, Slot};

/// In what state the run state was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Whole.
    Whole,
    /// Nothing there yet, or taken away.
    Missing,
    /// Torn or not ours.
    Torn,
}

/// Why a desk cannot be opened.
#[derive(Debug)]
pub enum Trouble {
    /// The plan directory is gone.
    Gone,
    /// The plan directory, or a folder on the way, is a link or belongs to somebody else.
    NotOurs,
    /// Another process kept the lock.
    Busy,
    /// The system refused.
    Failed(io::Error),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => write!(f, "the plan directory is gone"),
            Self::NotOurs => write!(f, "the plan directory is a link or belongs to another user"),
            Self::Busy => write!(f, "another process holds the plan's lock"),
            Self::Failed(error) => write!(f, "{error}"),
        }
    }
}

/// An open plan directory.
#[derive(Debug)]
pub struct Desk {
    /// Which plan.
    pub place: Place,
    /// The run state as read, or as it will be saved.
    pub run: Run,
    /// How the run state was found.
    pub found: Found,
    /// Records are on the disk, and not only in the system's memory, when an append ends.
    pub synced: bool,
    pub(super) dir: Dir,
    was: Run,
    /// Bytes of the run state file.
    size: u64,
    run_file: Option<File>,
}

impl Desk {
    /// Opens the directory of a plan without locking it.
    ///
    /// # Errors
    /// [`Trouble::Gone`], [`Trouble::NotOurs`] or the system's.
    fn directory(place: &Place) -> Result<Dir, Trouble> {
        let dir = disk::open_dir_beneath(&place.root, &place.dir()).map_err(trouble)?;
        if place.id.is_empty() {
            return Ok(dir);
        }
        if dir.is_ours().map_err(Trouble::Failed)? { Ok(dir) } else { Err(Trouble::NotOurs) }
    }

    /// Opens a plan for reading only. Never creates anything.
    ///
    /// # Errors
    /// [`Trouble::Gone`], [`Trouble::NotOurs`] or the system's.
    pub fn look(place: &Place) -> Result<Self, Trouble> {
        let dir = Self::directory(place)?;
        let (run, found) = match disk::open_file_at(&dir, layout::RUN, How::Read) {
            // Nothing is written here, so what cannot be read is as good as torn.
            Ok((file, size)) => read_run(&file, size).unwrap_or((Run::default(), Found::Torn)),
            Err(error) => (Run::default(), missing_or_torn(&error)),
        };
        Ok(Self { place: place.clone(), was: run.clone(), run, found, synced: false, dir, size: 0, run_file: None })
    }

    /// Opens and locks a plan for a hook: creates nothing, waits at most [`lock::HOOK_PATIENCE`].
    ///
    /// # Errors
    /// A [`Trouble`]; then the hook holds nobody.
    pub fn hook(place: &Place) -> Result<Self, Trouble> {
        Self::locked(place, How::Write, lock::HOOK_PATIENCE)
    }

    /// As [`Desk::hook`], creating the run state where it is missing: for a session that attaches by an event.
    ///
    /// # Errors
    /// A [`Trouble`].
    pub fn attaching(place: &Place) -> Result<Self, Trouble> {
        Self::locked(place, How::Create(Readers::All), lock::HOOK_PATIENCE)
    }

    /// Opens and locks a plan for a verb, creating the run state where it is missing.
    ///
    /// # Errors
    /// A [`Trouble`].
    pub fn verb(place: &Place) -> Result<Self, Trouble> {
        Self::locked(place, How::Create(Readers::All), lock::VERB_PATIENCE)
    }

    fn locked(place: &Place, how: How, patience: Duration) -> Result<Self, Trouble> {
        let dir = Self::directory(place)?;
        let (file, mut size) = match lock::open(&dir, layout::RUN, how, patience) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Err(Trouble::Busy),
            Err(error) if how == How::Write && error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self {
                    place: place.clone(),
                    run: Run::default(),
                    was: Run::default(),
                    found: Found::Missing,
                    synced: false,
                    dir,
                    size: 0,
                    run_file: None,
                });
            }
            Err(error) => return Err(Trouble::Failed(error)),
        };
        if size != layout::SLOT as u64 {
            // It may have grown while another process had the lock.
            size = file.metadata().map_or(size, |m| m.len());
        }
        // A good one that cannot be read just now must not be written over by one that was put together anew.
        let (run, found) = read_run(&file, size).map_err(Trouble::Failed)?;
        Ok(Self { place: place.clone(), was: run.clone(), run, found, synced: false, dir, size, run_file: Some(file) })
    }

    /// The plan file.
    pub fn plan(&self) -> Read {
        disk::read_at(&self.dir, layout::PLAN, layout::MAX_PLAN).as_text()
    }

    /// A file of the plan directory, at most `max` bytes.
    pub fn file(&self, name: &str, max: u64) -> Read {
        disk::read_at(&self.dir, name, max)
    }

    /// Replaces a file of the plan directory, see [`disk::replace_at`].
    ///
    /// # Errors
    /// The system's.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        disk::replace_at(&self.dir, name, bytes, Readers::All, true)
    }

    /// Replaces the plan file where it still has the bytes that were read. `false`: somebody else wrote it meanwhile.
    ///
    /// # Errors
    /// The system's.
    pub fn replace_plan(&self, old: &[u8], bytes: &[u8]) -> io::Result<bool> {
        disk::replace_if_at(&self.dir, layout::PLAN, old, bytes, true)
    }

    /// Creates a file of the plan directory; one that is there stays as it is.
    ///
    /// # Errors
    /// The system's.
    pub fn create(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        match disk::create_at(&self.dir, name, bytes, Readers::All) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            other => other,
        }
    }

    /// Blocks of this budget: the larger of run state and mirror. `None` where the mirror cannot be read.
    pub fn blocks(&self) -> Option<u32> {
        let mirror = match disk::read_at(&self.dir, layout::BLOCKS, 64) {
            Read::Missing => 0,
            Read::Bytes(bytes) if bytes.is_empty() => 0,
            Read::Bytes(bytes) => std::str::from_utf8(&bytes).ok()?.trim().parse().ok()?,
            _ => return None,
        };
        Some(self.run.blocks.max(mirror))
    }

    /// Sets the block counter and its mirror. The run state is saved by [`Desk::save`].
    ///
    /// # Errors
    /// The system's, from the mirror.
    pub fn set_blocks(&mut self, blocks: u32) -> io::Result<()> {
        self.run.blocks = blocks;
        disk::rewrite_at(&self.dir, layout::BLOCKS, format!("{blocks}\n").as_bytes(), Readers::All)
    }

    /// Whether the run state differs from what was read.
    pub fn changed(&self) -> bool {
        self.run != self.was
    }

    /// Saves the run state by one write.
    ///
    /// # Errors
    /// The system's, or where the state was opened for reading only.
    pub fn save(&mut self) -> io::Result<()> {
        let Some(file) = &self.run_file else { return Err(io::Error::from(io::ErrorKind::ReadOnlyFilesystem)) };
        self.run.v = 1;
        if let Some(bytes) =
            slot::render(&self.run).filter(|_| self.size <= layout::SLOT as u64 && self.run.ledgers.len() <= LEDGERS)
        {
            slot::put(file, &bytes)?;
        } else {
            let too_large = || io::Error::new(io::ErrorKind::InvalidData, "the run state is too large");
            let bytes = fitting(&mut self.run, self.size).ok_or_else(too_large)?;
            slot::put(file, &bytes)?;
            self.size = bytes.len() as u64;
        }
        self.found = Found::Whole;
        Ok(())
    }

    /// The plan directory.
    pub fn path(&self) -> PathBuf {
        self.place.dir()
    }
}

/// How many ledgers' ends are kept. Others are found again in the ledgers themselves.
const LEDGERS: usize = 24;

/// A run state that one slot does not hold, in several. What may be dropped are ends of ledgers that were not written lately,
/// then the words of reasons, which the ledgers have; never a status, a proof or who skipped a phase.
fn fitting(run: &mut Run, size: u64) -> Option<Vec<u8>> {
    while run.ledgers.len() > LEDGERS {
        let oldest = run.ledgers.iter().min_by_key(|(_, end)| end.tick).map(|(name, _)| name.clone())?;
        run.ledgers.remove(&oldest);
    }
    if let Some(bytes) = slot::render_large(run, size) {
        return Some(bytes);
    }
    run.phases.values_mut().for_each(|p| p.why.clear());
    slot::render_large(run, size)
}

fn read_run(file: &File, size: u64) -> io::Result<(Run, Found)> {
    match slot::read(file, size) {
        Slot::Whole(run) => Ok((run, Found::Whole)),
        Slot::Empty => Ok((Run::default(), Found::Missing)),
        Slot::Torn => Ok((Run::default(), Found::Torn)),
        Slot::Failed(kind) => Err(kind.into()),
    }
}

fn missing_or_torn(error: &io::Error) -> Found {
    if error.kind() == io::ErrorKind::NotFound { Found::Missing } else { Found::Torn }
}

fn trouble(error: io::Error) -> Trouble {
    if error.kind() == io::ErrorKind::NotFound {
        Trouble::Gone
    } else if disk::leads_away(&error) {
        Trouble::NotOurs
    } else {
        Trouble::Failed(error)
    }
}
