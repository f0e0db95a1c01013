//! Vocabularies, for those who want to know exactly.

#[derive(Clone, Copy)]
pub(super) enum TokenVocabulary {
    O200k,
    Cl100k,
    Llama3,
}

impl TokenVocabulary {
    pub(super) fn count(self, text: &str) -> usize {
        let name = match self {
            TokenVocabulary::O200k => "o200k_base",
            TokenVocabulary::Cl100k => "cl100k_base",
            TokenVocabulary::Llama3 => "llama3",
        };
        tiktoken::get_encoding(name)
            .expect("the features of the crate bring it")
            .count(text)
    }
}

#[cfg(test)]
mod tests;
