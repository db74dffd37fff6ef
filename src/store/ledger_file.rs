//! Ledger files: append-only, one JSON object a line, one file per agent. A torn tail is closed, never deleted.

use std::fs::File;
use std::io::{self, Write};

use crate::core::ledger::{self, Folded, Record};
use crate::store::desk::Desk;
use crate::store::disk::{self, How, Readers};
use crate::store::layout;

/// The most of a ledger that is read where all of it is meant, in bytes.
pub const WHOLE: u64 = 256 * 1024 * 1024;
/// How far back the end of a ledger is looked for, in bytes.
const TAIL: u64 = 64 * 1024;

impl Desk {
    /// Appends records to one agent's ledger by one write: gives each the next tick and the chain. The run state knows the
    /// new end afterwards and is saved by [`Desk::save`].
    ///
    /// # Errors
    /// The system's. A line that was written in part is taken back, else closed by the next append.
    pub fn append(&mut self, agent: &str, records: &mut [Record]) -> io::Result<()> {
        if records.is_empty() {
            return Ok(());
        }
        let (mut file, size) = disk::open_file_at(&self.dir, &layout::ledger(agent), How::Append(Readers::All))?;
        let mut end = self.run.ledgers.get(agent).cloned().unwrap_or_default();
        let mut bytes = Vec::new();
        let mut cut = None;
        if end.bytes != size {
            if size < end.bytes {
                cut = Some(end.bytes - size);
            }
            let tail = tail(&file, size)?;
            if !tail.closed {
                bytes.push(b'\n');
            }
            self.run.tick = self.run.tick.max(tail.tick);
            end.digest = tail.chain;
        }
        // What was taken away is gone, but not that it was.
        let mut note = records.first().zip(cut).map(|(first, missing)| Record {
            event: ledger::CUT.to_owned(),
            phase: String::new(),
            summary: format!("{missing} bytes that were written here are gone"),
            files: Vec::new(),
            data: serde_json::Value::Null,
            ..first.clone()
        });
        for record in note.iter_mut().chain(records.iter_mut()) {
            self.run.tick += 1;
            record.tick = self.run.tick;
            agent.clone_into(&mut record.agent);
            record.prev.clone_from(&end.digest);
            let line = record.to_line();
            end.digest = ledger::chain(line.as_bytes());
            end.tick = record.tick;
            if ledger::is_work(&record.event) {
                end.work_tick = record.tick;
                end.event = ledger::label(record);
            }
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
        let sync = |file: &File| if self.synced { file.sync_data() } else { Ok(()) };
        if let Err(error) = file.write_all(&bytes).and_then(|()| sync(&file)) {
            // Without this a full disk would leave half a line.
            let _ = file.set_len(size);
            return Err(error);
        }
        end.bytes = size + bytes.len() as u64;
        self.run.ledgers.insert(agent.to_owned(), end);
        Ok(())
    }

    /// Names of the agents that have a ledger here.
    ///
    /// # Errors
    /// The system's, where the plan directory cannot be listed.
    pub fn agents(&self) -> io::Result<Vec<String>> {
        let mut agents: Vec<String> = disk::all_names(&self.path(), 10_000)?
            .into_iter()
            .filter_map(|name| Some(name.strip_prefix("ledger-")?.strip_suffix(".jsonl")?.to_owned()))
            .filter(|agent| ledger::is_name(agent))
            .collect();
        agents.sort();
        Ok(agents)
    }

    /// Every ledger that can be read, by agent: of each at most `max` bytes of its end.
    pub fn ledgers(&self, max: u64) -> Vec<(String, Vec<u8>)> {
        let agents = self.agents().unwrap_or_default();
        agents.into_iter().filter_map(|agent| Some((agent.clone(), self.ledger(&agent, max).ok()?))).collect()
    }

    /// What the ledgers say together, as far as they can be read.
    pub fn history(&self) -> Folded {
        let ledgers = self.ledgers(WHOLE);
        ledger::fold(ledgers.iter().map(|(agent, bytes)| (agent.as_str(), bytes.as_slice())))
    }

    /// As [`Desk::history`], for who takes what is not there for what never was. What is no regular file has no history.
    ///
    /// # Errors
    /// The system's, where a ledger cannot be read.
    pub fn whole_history(&self) -> io::Result<Folded> {
        let mut ledgers = Vec::new();
        for agent in self.agents()? {
            match self.ledger(&agent, WHOLE) {
                Ok(bytes) => ledgers.push((agent, bytes)),
                Err(error) if disk::is_no_file(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(ledger::fold(ledgers.iter().map(|(agent, bytes)| (agent.as_str(), bytes.as_slice()))))
    }

    /// The whole ledger of an agent, at most `max` bytes of its end.
    ///
    /// # Errors
    /// The system's.
    pub fn ledger(&self, agent: &str, max: u64) -> io::Result<Vec<u8>> {
        let (file, size) = disk::open_file_at(&self.dir, &layout::ledger(agent), How::Read)?;
        let from = size.saturating_sub(max);
        let mut bytes = vec![0; usize::try_from(size - from).unwrap_or(0)];
        disk::read_exact(&file, &mut bytes, from)?;
        if from > 0 {
            let cut = bytes.iter().position(|b| *b == b'\n').map_or(0, |at| at + 1);
            bytes.drain(..cut);
        }
        Ok(bytes)
    }
}

struct Tail {
    closed: bool,
    tick: u64,
    chain: String,
}

fn tail(file: &File, size: u64) -> io::Result<Tail> {
    if size == 0 {
        return Ok(Tail { closed: true, tick: 0, chain: String::new() });
    }
    let from = size.saturating_sub(TAIL);
    let mut bytes = vec![0; usize::try_from(size - from).unwrap_or(0)];
    disk::read_exact(file, &mut bytes, from)?;
    let closed = bytes.last() == Some(&b'\n');
    let mut lines = bytes.split(|b| *b == b'\n').filter(|l| !l.is_empty()).rev();
    let chain = lines.clone().next().map(ledger::chain).unwrap_or_default();
    let tick = lines.find_map(ledger::parse_line).map_or(0, |r| r.tick);
    Ok(Tail { closed, tick, chain })
}
