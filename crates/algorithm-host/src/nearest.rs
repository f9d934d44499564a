//! "Did you mean ...?": names that look like a mistyped one.

/// The candidates in the order of their likeness to `word`, the most similar first.
pub fn by_likeness<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut sorted: Vec<&str> = candidates.into_iter().collect();
    sorted.sort_by_key(|candidate| (distance(word, candidate), *candidate));
    sorted
}

/// Single-character edits from one word to the other (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.to_lowercase().chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &b) in to.iter().enumerate() {
            let substitution = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = substitution.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_name_comes_first() {
        assert_eq!(by_likeness("cubik", ["bbr", "reno", "cubic"])[0], "cubic");
        assert_eq!(by_likeness("hystart_low", ["beta", "hystart_low_window", "hystart"])[0], "hystart");
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
