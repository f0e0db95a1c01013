//! A parser for one line.

use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use serde::de::DeserializeOwned;

/// The expected and the found text.
pub(crate) type ParseError = String;

/// The rest of a line. Blanks between tokens are skipped.
#[derive(Debug, Clone)]
pub(crate) struct Scan<'a>(&'a str);

impl<'a> Scan<'a> {
    pub(crate) fn new(line: &'a str) -> Scan<'a> {
        Scan(line.trim())
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.0
    }

    /// Returns the part of `start` that was parsed.
    pub(crate) fn since(&self, start: &str) -> String {
        start[..start.len() - self.0.len()].trim_end().to_owned()
    }

    pub(crate) fn is_done(&self) -> bool {
        self.0.is_empty()
    }

    /// Consumes `token` if it is next. A token that ends with a letter or digit must be a whole word.
    pub(crate) fn take(&mut self, token: &str) -> bool {
        let Some(rest) = self.0.strip_prefix(token) else {
            return false;
        };
        let continues = rest.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_');
        if token.ends_with(char::is_alphanumeric) && continues {
            return false;
        }
        self.0 = rest.trim_start();
        true
    }

    pub(crate) fn expect(&mut self, token: &str) -> Result<(), ParseError> {
        if self.take(token) {
            Ok(())
        } else {
            Err(self.unread(&format!("`{token}`")))
        }
    }

    pub(crate) fn end(&self) -> Result<(), ParseError> {
        if self.is_done() {
            Ok(())
        } else {
            Err(self.unread("the end of the line"))
        }
    }

    pub(crate) fn json<T: DeserializeOwned>(&mut self) -> Result<T, ParseError> {
        let mut values = serde_json::Deserializer::from_str(self.0).into_iter::<T>();
        match values.next() {
            Some(Ok(value)) => {
                self.0 = self.0[values.byte_offset()..].trim_start();
                Ok(value)
            }
            Some(Err(error)) => Err(format!("{} ({error})", self.unread("JSON"))),
            None => Err(self.unread("JSON")),
        }
    }

    pub(crate) fn word(&mut self) -> Result<&'a str, ParseError> {
        let end = self.0.find(char::is_whitespace).unwrap_or(self.0.len());
        if end == 0 {
            return Err(self.unread("a word"));
        }
        let (word, rest) = self.0.split_at(end);
        self.0 = rest.trim_start();
        Ok(word)
    }

    /// Parses a JSON string or a bare word.
    pub(crate) fn name(&mut self) -> Result<String, ParseError> {
        if self.0.starts_with('"') {
            self.json()
        } else {
            self.word().map(str::to_owned)
        }
    }

    pub(crate) fn number<N: FromStr>(&mut self) -> Result<N, ParseError> {
        let end = self
            .0
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(self.0.len());
        let number = self.0[..end].parse().map_err(|_| self.unread("a number"))?;
        self.0 = self.0[end..].trim_start();
        Ok(number)
    }

    pub(crate) fn duration(&mut self) -> Result<Duration, ParseError> {
        let number = self.number()?;
        if self.take("ms") {
            Ok(Duration::from_millis(number))
        } else if self.take("s") {
            Ok(Duration::from_secs(number))
        } else {
            Err(self.unread("`s` or `ms`"))
        }
    }

    pub(crate) fn byte(&mut self) -> Result<u8, ParseError> {
        self.0 = self
            .0
            .strip_prefix("0x")
            .ok_or_else(|| self.unread("`0x`"))?;
        self.hexadecimal()
            .and_then(|number| u8::try_from(number).map_err(|_| self.unread("a byte before")))
    }

    pub(crate) fn character(&mut self) -> Result<char, ParseError> {
        self.expect("U+")?;
        self.hexadecimal().and_then(|number| {
            char::from_u32(number).ok_or_else(|| self.unread("a character before"))
        })
    }

    /// Parses an inclusive range such as `U+0000..U+007F`.
    pub(crate) fn characters(&mut self) -> Result<RangeInclusive<char>, ParseError> {
        let first = self.character()?;
        self.expect("..")?;
        Ok(first..=self.character()?)
    }

    fn hexadecimal(&mut self) -> Result<u32, ParseError> {
        let end = self
            .0
            .find(|c: char| !c.is_ascii_hexdigit())
            .unwrap_or(self.0.len());
        let number = u32::from_str_radix(&self.0[..end], 16)
            .map_err(|_| self.unread("a hexadecimal number"))?;
        self.0 = self.0[end..].trim_start();
        Ok(number)
    }

    pub(crate) fn unread(&self, expected: &str) -> ParseError {
        match self.0 {
            "" => format!("expected {expected}, found the end of the line"),
            rest => format!("expected {expected}, found `{rest}`"),
        }
    }
}
