//! The files of a program: its own, and the headers of its folder that it includes.

use super::input_file::read;
use super::kernel_module;
use super::more_types::{more_types, MORE_TYPES};
use crate::bundled::HEADERS;
use crate::error::LoadError;
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

/// Limits of the text that a program may consist of. The largest bundled program has 14 kB and 6 headers.
const PROGRAM_BYTES: u64 = 1 << 20;
const HEADER_BYTES: u64 = 4 << 20;
/// A generated `vmlinux.h` has 4 MB.
const VMLINUX_BYTES: u64 = 16 << 20;
const ALL_HEADERS_BYTES: u64 = 16 << 20;
const HEADERS_AT_MOST: usize = 256;
/// Headers inside each other; a compiler's own limit is 200.
const DEPTH_AT_MOST: usize = 64;

/// A program's text and headers. Two programs with equal inputs are compiled to the same object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    pub program: String,
    /// By their path below the program's folder.
    pub headers: BTreeMap<PathBuf, Vec<u8>>,
}

impl Inputs {
    /// Reads the program at `path`. Headers outside of its folder are not read; the compiler reports them as missing.
    ///
    /// # Errors
    /// A file cannot be read, is not a regular file, or exceeds a limit.
    pub fn read(path: &Path) -> Result<Self, LoadError> {
        let program = String::from_utf8_lossy(&read(path, PROGRAM_BYTES)?).into_owned();
        if let Some(error) = kernel_module::error_of(path, &program) {
            return Err(error);
        }
        let home = fs::canonicalize(path).map_err(|reason| LoadError::CannotRead { path: path.into(), reason })?;
        let home = home.parent().unwrap_or(Path::new("/"));
        let mut headers = headers_of(home, path.parent().unwrap_or(Path::new("")), &program)?;
        let more = more_types_of(home, &program, &headers);
        headers.extend(more.map(|text| (PathBuf::from(MORE_TYPES), text.into_bytes())));
        Ok(Self { program, headers })
    }
}

/// The types that the program uses beyond Fairlane's. Its own `vmlinux.h`, which is not compiled, gives those that it has.
fn more_types_of(home: &Path, program: &str, headers: &BTreeMap<PathBuf, Vec<u8>>) -> Option<String> {
    let own = fs::canonicalize(home.join("vmlinux.h")).ok().filter(|real| real.starts_with(home));
    let own = own.and_then(|real| read(&real, VMLINUX_BYTES).ok());
    let own = own.map(|text| String::from_utf8_lossy(&text).into_owned());
    let headers: Vec<_> = headers.values().map(|text| String::from_utf8_lossy(text)).collect();
    let texts: Vec<&str> = headers.iter().map(AsRef::as_ref).chain([program]).collect();
    more_types(&texts, own.as_deref())
}

/// The headers below the folder `home`, which messages call `shown`, that a text includes, directly or not.
fn headers_of(home: &Path, shown: &Path, program: &str) -> Result<BTreeMap<PathBuf, Vec<u8>>, LoadError> {
    let mut found: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    let mut bytes = 0;
    // The folder of the including file, below `home`; the names that it includes; the number of headers above them.
    let mut waiting = VecDeque::from([(PathBuf::new(), included(program.as_bytes()), 0)]);
    while let Some((folder, names, depth)) = waiting.pop_front() {
        for name in names {
            for place in [folder.join(&name), PathBuf::from(&name)] {
                if found.contains_key(&place) || is_ours(&name) || has_parent(&place) {
                    continue;
                }
                let Ok(real) = fs::canonicalize(home.join(&place)) else { continue };
                if real == home || !real.starts_with(home) {
                    continue;
                }
                let path = shown.join(&place);
                let header = match read(&real, HEADER_BYTES) {
                    Ok(header) => header,
                    Err(LoadError::CannotRead { .. } | LoadError::NotAFile { kind: "a folder", .. }) => continue,
                    Err(LoadError::NotAFile { kind, .. }) => return Err(LoadError::NotAFile { path, kind }),
                    Err(LoadError::TooLarge { limit_bytes, .. }) => {
                        return Err(LoadError::TooLarge { path, limit_bytes })
                    }
                    Err(other) => return Err(other),
                };
                bytes += header.len() as u64;
                let excess = if depth == DEPTH_AT_MOST {
                    Some(format!("is included inside {DEPTH_AT_MOST} other headers, the most that are read"))
                } else if found.len() == HEADERS_AT_MOST {
                    Some(format!("is one header more than the {HEADERS_AT_MOST} that a program may have"))
                } else if bytes > ALL_HEADERS_BYTES {
                    Some(format!("makes the headers larger than {} MiB together", ALL_HEADERS_BYTES >> 20))
                } else {
                    None
                };
                if let Some(excess) = excess {
                    return Err(LoadError::TooManyHeaders { path, excess });
                }
                let folder = place.parent().unwrap_or(Path::new("")).to_owned();
                waiting.push_back((folder, included(&header), depth + 1));
                found.insert(place, header);
            }
        }
    }
    Ok(found)
}

/// The names in `#include "name"` and `#include <name>`.
fn included(text: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let names = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
        let end = match rest.chars().next()? {
            '"' => '"',
            '<' => '>',
            _ => return None,
        };
        Some(rest[1..].split(end).next()?.to_owned())
    });
    names.filter(|name| !name.starts_with('/')).collect()
}

/// Fairlane's headers take precedence over those of a program's folder.
fn is_ours(name: &str) -> bool {
    let below = |header: &str| header == name || header.strip_prefix("native/") == Some(name);
    HEADERS.iter().any(|(header, _)| below(header) || header.strip_prefix("native/bpf/") == Some(name))
}

fn has_parent(path: &Path) -> bool {
    path.components().any(|part| !matches!(part, std::path::Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_headers_of_the_programs_folder_are_read() {
        let folder = tempfile::tempdir().expect("can be made");
        let home = folder.path().join("home");
        fs::create_dir_all(home.join("below")).expect("can be made");
        let write = |name: &str, text: &str| fs::write(home.join(name), text).expect("can be written");
        write("../outside.h", "");
        write("vmlinux.h", "#error another");
        write("mine.h", "# include \"below/deep.h\"\n");
        write("below/deep.h", "#include \"near.h\"\n#include \"mine.h\"");
        write("below/near.h", "");
        write("unused.h", "");
        std::os::unix::fs::symlink("../outside.h", home.join("link.h")).expect("can be made");
        write(
            "program.c",
            "#include \"vmlinux.h\"\n#include <mine.h>\n#include \"../outside.h\"\n#include \"link.h\"\n\
             #include \"/etc/passwd\"\n#include \"absent.h\"\n",
        );
        let inputs = Inputs::read(&home.join("program.c")).expect("is readable");
        let names: Vec<_> = inputs.headers.keys().map(|name| name.to_str().expect("is UTF-8")).collect();
        assert_eq!(names, ["below/deep.h", "below/near.h", "mine.h"]);
    }

    /// The refusal of a program that includes `0.h`, in a folder that `fill` prepares.
    fn refusal(fill: impl FnOnce(&Path)) -> String {
        let folder = tempfile::tempdir().expect("can be made");
        fs::write(folder.path().join("program.c"), "#include \"0.h\"\n").expect("can be written");
        fill(folder.path());
        let refused = Inputs::read(&folder.path().join("program.c")).expect_err("is refused").to_string();
        assert_eq!(refused.lines().count(), 1);
        refused.replace(&format!("{}/", folder.path().display()), "")
    }

    fn make_pipe(path: &Path) {
        let path = std::ffi::CString::new(path.to_str().expect("is UTF-8")).expect("has no zero");
        // SAFETY: the path is a terminated string.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
    }

    #[test]
    fn a_long_chain_of_headers_is_refused() {
        let refused = refusal(|folder| {
            for number in 0..30_000 {
                fs::write(folder.join(format!("{number}.h")), format!("#include \"{}.h\"\n", number + 1))
                    .expect("can be written");
            }
        });
        assert_eq!(
            refused,
            "64.h: is included inside 64 other headers, the most that are read; merge headers, or include fewer"
        );
    }

    #[test]
    fn many_headers_are_refused_and_so_are_links_in_a_circle() {
        let many = |folder: &Path| {
            let names: String = (1..400).map(|number| format!("#include \"{number}.h\"\n")).collect();
            fs::write(folder.join("0.h"), names).expect("can be written");
            (1..400).for_each(|number| fs::write(folder.join(format!("{number}.h")), "").expect("can be written"));
        };
        assert!(refusal(many).starts_with("256.h: is one header more than the 256 that a program may have; merge"));
        let circle = |folder: &Path| {
            std::os::unix::fs::symlink(".", folder.join("a")).expect("can be made");
            std::os::unix::fs::symlink(".", folder.join("b")).expect("can be made");
            fs::write(folder.join("0.h"), "#include \"a/0.h\"\n#include \"b/0.h\"\n").expect("can be written");
        };
        assert!(refusal(circle).contains("the 256 that a program may have"));
    }

    #[test]
    fn headers_that_are_no_files_or_too_large_are_refused() {
        let pipe = refusal(|folder| make_pipe(&folder.join("0.h")));
        assert_eq!(pipe, "0.h: is a pipe, not a regular file; name a C file, and put headers beside it as files");
        let large = refusal(|folder| {
            let file = fs::File::create(folder.join("0.h")).expect("can be made");
            file.set_len(HEADER_BYTES + 1).expect("can grow");
        });
        assert_eq!(large, "0.h: is larger than 4 MiB, the most that is read; make it smaller");
        let together = refusal(|folder| {
            fs::write(folder.join("0.h"), (1..9).map(|n| format!("#include \"{n}.h\"\n")).collect::<String>())
                .expect("can be written");
            for number in 1..9 {
                let file = fs::File::create(folder.join(format!("{number}.h"))).expect("can be made");
                file.set_len(HEADER_BYTES).expect("can grow");
            }
        });
        assert!(together.starts_with("4.h: makes the headers larger than 16 MiB together; merge"), "{together}");
    }

    #[test]
    fn programs_that_are_no_files_or_too_large_are_refused() {
        let pipe = refusal(|folder| {
            fs::remove_file(folder.join("program.c")).expect("is there");
            make_pipe(&folder.join("program.c"));
        });
        assert!(pipe.starts_with("program.c: is a pipe, not a regular file;"), "{pipe}");
        let large = refusal(|folder| {
            let file = fs::File::create(folder.join("program.c")).expect("can be made");
            file.set_len(1 << 40).expect("can grow");
        });
        assert!(large.starts_with("program.c: is larger than 1 MiB, the most that is read;"), "{large}");
        let device = Inputs::read(Path::new("/dev/zero")).expect_err("is refused").to_string();
        assert!(device.starts_with("/dev/zero: is a device, not a regular file;"), "{device}");
    }
}
