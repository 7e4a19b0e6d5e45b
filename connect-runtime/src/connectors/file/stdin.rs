use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Standard input, read by a thread of its own: a read of it cannot be interrupted, and the task must be able to stop.
#[derive(Debug)]
pub(super) struct Stdin {
    chunks: Receiver<Vec<u8>>,
    unread: Vec<u8>,
}

impl Stdin {
    pub(super) fn open() -> std::io::Result<Self> {
        let (sender, chunks) = sync_channel(CHUNKS_MAX);
        std::thread::Builder::new()
            .name("stdin".to_owned())
            .spawn(move || {
                let mut stdin = std::io::stdin().lock();
                let mut buffer = vec![0; CHUNK_BYTES];
                while let Ok(read) = stdin.read(&mut buffer) {
                    let chunk = buffer.get(..read).unwrap_or_default().to_vec();
                    if read == 0 || sender.send(chunk).is_err() {
                        return;
                    }
                }
            })?;
        Ok(Self {
            chunks,
            unread: Vec::new(),
        })
    }

    /// What has arrived, at most as much as fits; 0 when nothing came within `limit` or ever will.
    pub(super) fn read(&mut self, space: &mut [u8], limit: Duration) -> usize {
        if self.unread.is_empty() {
            match self.chunks.recv_timeout(limit) {
                Ok(chunk) => self.unread = chunk,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return 0,
            }
        }
        let taken = self.unread.len().min(space.len());
        for (to, from) in space.iter_mut().zip(self.unread.drain(..taken)) {
            *to = from;
        }
        taken
    }
}

/// Chunks read ahead, at most.
const CHUNKS_MAX: usize = 4;
/// Bytes per chunk.
const CHUNK_BYTES: usize = 64 << 10;
