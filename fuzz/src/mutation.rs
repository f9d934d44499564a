//! Changes inputs as disks, editors and attackers do: bits, bytes, numbers, words, lines, and pieces of other inputs.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256StarStar;

/// The mutation of these seeds with this number; always the same.
pub fn mutated(seeds: &[Vec<u8>], number: u64, numbers_percent: u64) -> Vec<u8> {
    let mut random = Random(Xoshiro256StarStar::seed_from_u64(number));
    let mut data = seeds[random.below(seeds.len())].clone();
    let only_numbers = number % 100 < numbers_percent;
    for _ in 0..1 + random.below(if only_numbers { 2 } else { 4 }) {
        if only_numbers {
            replace_number(&mut data, NUMBERS, &mut random);
        } else {
            change(&mut data, seeds, &mut random);
        }
    }
    data.truncate(LONGEST);
    data
}

const LONGEST: usize = 100_000;
/// Numbers that cause overflows or endless loops.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "7",
    "10",
    "64",
    "100",
    "255",
    "256",
    "1000",
    "1500",
    "65535",
    "65536",
    "100000",
    "1000000",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "1000000000000",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "0.5",
    "1.0",
    "1e-9",
    "1e18",
    "1e308",
];
/// The same for text, and words that mean something to its reader.
const WORDS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2147483647",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "-9223372036854775808",
    "1e308",
    "1e-308",
    "0.5",
    "NaN",
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "\u{0}",
    "\u{1b}[2J",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "...",
    "%{",
    "}%",
    "`",
    "~",
    "+",
    "*",
    "mss 0",
    "win 0",
    "wscale 255",
    "sack 1:2",
    "assert ",
    "inf",
    "\u{feff}",
    "ä",
]; // rustfmt would put each on a line of its own

struct Random(Xoshiro256StarStar);

impl Random {
    /// From 0 to `end - 1`; 0 if there is nothing below `end`.
    fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end.max(1) as u64) as usize
    }

    /// A range of at most `longest` bytes.
    fn range(&mut self, length: usize, longest: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        start..start + self.below((length - start).min(longest) + 1)
    }
}

fn change(data: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let length = data.len();
    match random.below(9) {
        0 if length > 0 => data[random.below(length)] ^= 1 << random.below(8),
        1 if length > 0 => data[random.below(length)] = random.below(256) as u8,
        2 => drop(data.drain(random.range(length, 64))),
        3 => {
            let piece = data[random.range(length, 200)].to_vec();
            insert(data, &piece, random);
        }
        4 => {
            let other = &seeds[random.below(seeds.len())];
            let piece = other[random.range(other.len(), 400)].to_vec();
            insert(data, &piece, random);
        }
        5 => {
            let word = WORDS[random.below(WORDS.len())].as_bytes();
            insert(data, word, random);
        }
        6 => {
            // Repeats a piece: depth, length, number.
            let piece = data[random.range(length, 12)].repeat(1 + random.below(300));
            insert(data, &piece, random);
        }
        7 => data.truncate(random.below(length + 1)),
        _ => replace_number(data, WORDS, random),
    }
}

fn insert(data: &mut Vec<u8>, piece: &[u8], random: &mut Random) {
    let at = random.below(data.len() + 1);
    data.splice(at..at, piece.iter().copied());
}

/// Puts a word in the place of a number.
fn replace_number(data: &mut Vec<u8>, words: &[&str], random: &mut Random) {
    let from = random.below(data.len() + 1);
    let Some(start) = data[from..].iter().position(u8::is_ascii_digit).map(|offset| from + offset) else { return };
    let end = data[start..].iter().position(|byte| !byte.is_ascii_digit()).map_or(data.len(), |offset| start + offset);
    let word = words[random.below(words.len())].as_bytes();
    data.splice(start..end, word.iter().copied());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_names_one_mutation() {
        let seeds = vec![b"0 socket(1, 2) = 3".to_vec(), b"+0 close(3) = 0".to_vec()];
        let all: Vec<_> = (0..200).map(|number| mutated(&seeds, number, 20)).collect();
        assert_eq!(all, (0..200).map(|number| mutated(&seeds, number, 20)).collect::<Vec<_>>());
        let different: std::collections::BTreeSet<_> = all.iter().collect();
        assert!(different.len() > 150, "{}", different.len());
    }
}
