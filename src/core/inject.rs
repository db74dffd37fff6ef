//! What the model reads.
