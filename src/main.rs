//! The binary: `hook` is dispatched by hand before anything else is looked at, everything else is a verb.

use std::process::ExitCode;

use steadfast::hook::End;
use steadfast::world::World;

/// That of musl maps and unmaps a page for every few values: three quarters of the system calls of a hook.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    let args: Vec<String> = World.args();
    if args.first().is_some_and(|word| word == "hook") {
        return match steadfast::hook::main(args.get(1..).unwrap_or_default(), World) {
            End::Quiet => ExitCode::SUCCESS,
            End::Wakes => ExitCode::from(2),
        };
    }
    ExitCode::from(steadfast::commands::main(World))
}
