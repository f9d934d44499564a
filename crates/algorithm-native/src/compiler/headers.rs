//! The files of a program: its own, and the headers of its folder that it includes.

use crate::bundled::HEADERS;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A program's text and headers. Two programs with equal inputs are compiled to the same object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    pub program: String,
    /// By their path below the program's folder.
    pub headers: BTreeMap<PathBuf, Vec<u8>>,
}

impl Inputs {
    /// Reads the program at `path`. Headers outside of its folder are not read; the compiler reports them as missing.
    pub fn read(path: &Path) -> io::Result<Self> {
        let program = String::from_utf8_lossy(&fs::read(path)?).into_owned();
        let home = fs::canonicalize(path)?;
        let home = home.parent().unwrap_or(Path::new("/"));
        let mut headers = BTreeMap::new();
        add_headers(home, Path::new(""), program.as_bytes(), &mut headers);
        Ok(Self { program, headers })
    }
}

/// `folder` is where the including file is, below `home`.
fn add_headers(home: &Path, folder: &Path, text: &[u8], found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for name in included(text) {
        for place in [folder.join(&name), PathBuf::from(&name)] {
            let Ok(real) = fs::canonicalize(home.join(&place)) else { continue };
            let Ok(inside) = real.strip_prefix(home) else { continue };
            if found.contains_key(&place) || is_ours(&name) || has_parent(&place) || inside.as_os_str().is_empty() {
                continue;
            }
            let Ok(header) = fs::read(&real) else { continue };
            found.insert(place.clone(), header.clone());
            add_headers(home, place.parent().unwrap_or(Path::new("")), &header, found);
        }
    }
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
}
