//! Byte-preserving edits of `task_plan.md`.
