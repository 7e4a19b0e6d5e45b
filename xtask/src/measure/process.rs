//! What the kernel says about a process (Linux, proc(5)).

use std::path::Path;
use std::time::Duration;

use crate::steps::{Outcome, Trouble, Trying};

/// Memory and CPU of a process so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Usage {
    /// Resident now, in units of 1024 bytes.
    pub(super) resident_kb: u64,
    /// The most that was ever resident.
    pub(super) peak_kb: u64,
    /// User and system time of all threads.
    pub(super) cpu: Duration,
}

impl Usage {
    /// Of the running process with this id.
    pub(super) fn of(id: u32) -> Outcome<Self> {
        let read = |name: &str| {
            let path = format!("/proc/{id}/{name}");
            std::fs::read_to_string(&path).trying(&format!("read {path} (measuring needs Linux)"))
        };
        parse(&read("status")?, &read("stat")?)
            .ok_or_else(|| Trouble::new(format!("/proc/{id} has an unknown form")))
    }
}

/// How far the process has read the file at `path`; 0 when it does not have it open.
pub(super) fn position(id: u32, path: &Path) -> u64 {
    let read = || -> Option<u64> {
        let path = path.canonicalize().ok()?;
        let open = std::fs::read_dir(format!("/proc/{id}/fd")).ok()?;
        let file = open
            .filter_map(Result::ok)
            .find(|entry| std::fs::read_link(entry.path()).is_ok_and(|target| target == path))?;
        let number = file.file_name().into_string().ok()?;
        let about = std::fs::read_to_string(format!("/proc/{id}/fdinfo/{number}")).ok()?;
        let position = about.lines().find_map(|line| line.strip_prefix("pos:"))?;
        position.trim().parse().ok()
    };
    read().unwrap_or(0)
}

fn parse(status: &str, stat: &str) -> Option<Usage> {
    let kb = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix(" kB")?.trim().parse().ok()
    };
    // The second field is the program's name in parentheses and may hold spaces; utime and stime are fields
    // 14 and 15, so the 12th and 13th after it.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    let cpu = Duration::from_millis((ticks()? + ticks()?) * 1_000 / TICKS_PER_SECOND);
    Some(Usage {
        resident_kb: kb("VmRSS:")?,
        peak_kb: kb("VmHWM:")?,
        cpu,
    })
}

/// `USER_HZ`: 100 on every Linux architecture that Rust runs on.
const TICKS_PER_SECOND: u64 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_proc_are_found() {
        let status = "Name:\tx\nVmHWM:\t   2048 kB\nVmRSS:\t   1024 kB\n";
        let stat = "7 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20";
        let usage = Usage {
            resident_kb: 1_024,
            peak_kb: 2_048,
            cpu: Duration::from_secs(2),
        };
        assert_eq!(parse(status, stat), Some(usage));
        assert_eq!(parse(status, "7 (x) S 1"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_position_in_an_open_file_is_seen() {
        use std::io::Read;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("input");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(position(std::process::id(), &path), 0, "it is not open");
        let mut file = std::fs::File::open(&path).unwrap();
        file.read_exact(&mut [0; 3]).unwrap();
        assert_eq!(position(std::process::id(), &path), 3);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_memory() {
        assert!(Usage::of(std::process::id()).unwrap().resident_kb > 0);
    }
}
