#!/usr/bin/env python3
"""How long the outlines of a repository take in each language, beside reading its files, the floor.

    .venv/test/bin/python scripts/bench/outlines.py [FILES] [ROUNDS]

One process, seconds of the processor: what other programs do meanwhile counts for neither. Each source has
some 40 lines with a type, its methods and two functions; outlines have signatures, as in a planner's prompt.
The budget is 10,000 files in five seconds.
"""

import sys
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from measure import CHECKOUT, machine, median, table, taking_turns, verdict

sys.path.insert(0, str(CHECKOUT))

from factory.languages.port import Language
from factory.languages.table import LANGUAGES

BUDGET_SECONDS = 5.0
BUDGET_FILES = 10_000

_PYTHON = '''"""Module {0}: words and their numbers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Counter{0}:
    """Counts words."""

    words: dict[str, int]
    limit: int = 10

    def count(self, text: str, *, fold: bool = True) -> dict[str, int]:
        """The words of a text."""
        found: dict[str, int] = {{}}
        for word in text.split():
            key = word.lower() if fold else word
            found[key] = found.get(key, 0) + 1
        return found

    def most(self, number: int = 3) -> list[str]:
        """The most frequent."""
        return sorted(self.words, key=lambda word: -self.words[word])[:number]


def slugify_{0}(text: str, limit: int | None = None) -> str:
    """A text for an address."""
    kept = [letter for letter in text.lower() if letter.isalnum() or letter == " "]
    slug = "-".join("".join(kept).split())
    if limit is not None and len(slug) > limit:
        return slug[:limit].rstrip("-")
    return slug


def merge_{0}(first: Counter{0}, second: Counter{0}) -> Counter{0}:
    """Both together."""
    words = dict(first.words)
    for word, number in second.words.items():
        words[word] = words.get(word, 0) + number
    return Counter{0}(words, max(first.limit, second.limit))
'''
_TYPESCRIPT = """// Module {0}: words and their numbers.

export interface Options{0} {{
  fold?: boolean;
  limit: number;
}}

/** Counts words. */
export class Counter{0} {{
  constructor(private readonly words: Map<string, number>, public limit = 10) {{}}

  count(text: string, options?: Options{0}): Map<string, number> {{
    const found = new Map<string, number>();
    for (const word of text.split(" ")) {{
      const key = options?.fold ? word.toLowerCase() : word;
      found.set(key, (found.get(key) ?? 0) + 1);
    }}
    return found;
  }}

  most(number: number = 3): string[] {{
    return [...this.words.keys()].sort((a, b) => this.words.get(b)! - this.words.get(a)!).slice(0, number);
  }}
}}

export function slugify{0}(text: string, limit?: number): string {{
  const slug = text.toLowerCase().replace(/[^a-z0-9 ]/g, "").split(" ").filter(Boolean).join("-");
  if (limit !== undefined && slug.length > limit) {{
    return slug.slice(0, limit);
  }}
  return slug;
}}

export function merge{0}(first: Map<string, number>, second: Map<string, number>): Map<string, number> {{
  const words = new Map(first);
  for (const [word, number] of second) {{
    words.set(word, (words.get(word) ?? 0) + number);
  }}
  return words;
}}
"""
_GO = """// Package words{0} has words and their numbers.
package words{0}

import "strings"

// Counter counts words.
type Counter struct {{
	Words map[string]int
	Limit int
}}

// Count gives the words of a text.
func (c *Counter) Count(text string, fold bool) map[string]int {{
	found := map[string]int{{}}
	for _, word := range strings.Fields(text) {{
		if fold {{
			word = strings.ToLower(word)
		}}
		found[word]++
	}}
	return found
}}

// Most gives the most frequent.
func (c *Counter) Most(number int) []string {{
	words := []string{{}}
	for word := range c.Words {{
		if len(words) < number {{
			words = append(words, word)
		}}
	}}
	return words
}}

// Slugify makes a text for an address.
func Slugify(text string, limit int) (string, error) {{
	slug := strings.Join(strings.Fields(strings.ToLower(text)), "-")
	if limit > 0 && len(slug) > limit {{
		return slug[:limit], nil
	}}
	return slug, nil
}}
"""
_RUST = """//! Module {0}: words and their numbers.

use std::collections::HashMap;

/// Counts words.
#[derive(Debug, Clone)]
pub struct Counter{0} {{
    pub words: HashMap<String, usize>,
    pub limit: usize,
}}

impl Counter{0} {{
    /// The words of a text.
    pub fn count(&self, text: &str, fold: bool) -> HashMap<String, usize> {{
        let mut found = HashMap::new();
        for word in text.split_whitespace() {{
            let key = if fold {{ word.to_lowercase() }} else {{ word.to_string() }};
            *found.entry(key).or_insert(0) += 1;
        }}
        found
    }}

    pub fn most(&self, number: usize) -> Vec<String> {{
        let mut words: Vec<String> = self.words.keys().cloned().collect();
        words.sort();
        words.truncate(number);
        words
    }}
}}

pub fn slugify_{0}(text: &str, limit: Option<usize>) -> String {{
    let slug = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join("-");
    match limit {{
        Some(limit) if slug.len() > limit => slug[..limit].to_string(),
        _ => slug,
    }}
}}

pub fn merge_{0}(first: &HashMap<String, usize>, second: &HashMap<String, usize>) -> HashMap<String, usize> {{
    let mut words = first.clone();
    for (word, number) in second {{
        *words.entry(word.clone()).or_insert(0) += number;
    }}
    words
}}
"""
SOURCES: Mapping[str, tuple[str, str]] = {
    "python": ("pkg{1}/m{0}.py", _PYTHON),
    "typescript": ("src/{1}/m{0}.ts", _TYPESCRIPT),
    "go": ("m{0}/m.go", _GO),
    "rust": ("src/p{1}/m{0}.rs", _RUST),
}
"""Of each language the paths of its files, and their text."""


def main(count: int, rounds: int) -> None:
    """Measure and print the table."""
    with tempfile.TemporaryDirectory() as folder:
        roots = {language.key: Path(folder) / language.key for language in LANGUAGES}
        files = {language.key: _write(roots[language.key], language.key, count) for language in LANGUAGES}
        print(machine())
        actions = {}
        for language in LANGUAGES:
            key = language.key
            actions[f"{key} floor"] = partial(_read, roots[key], files[key])
            actions[key] = partial(_outline, language, roots[key], files[key])
        times = {name: median(taken) for name, taken in taking_turns(actions, rounds).items()}
        rows = [
            [
                language.name,
                f"{times[f'{language.key} floor']:.2f} s",
                f"{times[language.key]:.2f} s",
                f"{1000 * times[language.key] / count:.2f} ms",
                f"{times[language.key] / times[f'{language.key} floor']:.0f}",
            ]
            for language in LANGUAGES
        ]
        print(table([f"{count:,} files", "reading", "outlines", "each", "ratio"], rows))
        budget = BUDGET_SECONDS * count / BUDGET_FILES
        for language in LANGUAGES:
            is_kept = times[language.key] <= budget
            print(f"budget, {language.name}, {count:,} in {budget:g} s: {verdict(is_kept)}")


def _write(root: Path, key: str, count: int) -> tuple[str, ...]:
    pattern, text = SOURCES[key]
    paths = []
    for number in range(count):
        path = pattern.format(number, number // 100)
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text.format(number), encoding="utf-8")
        paths.append(path)
    return tuple(paths)


def _read(root: Path, files: tuple[str, ...]) -> float:
    start = time.process_time()
    for path in files:
        (root / path).read_bytes()
    return time.process_time() - start


def _outline(language: Language, root: Path, files: tuple[str, ...]) -> float:
    start = time.process_time()
    codebase = language.codebase(frozenset(files), lambda path: (root / path).read_bytes())
    outlines = [codebase.outline(path) for path in files]
    seconds = time.process_time() - start
    broken = next((outlined.problem for outlined in outlines if outlined.problem or not outlined.text), None)
    if broken is not None:
        sys.exit(f"a generated source of {language.name} has no outline: {broken}")
    return seconds


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    main(given[0] if given else BUDGET_FILES, given[1] if len(given) > 1 else 3)
