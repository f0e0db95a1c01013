//! The full-text index that follows a registry.

use std::pin::pin;
use std::sync::Arc;

use arc_swap::ArcSwap;
use futures_util::stream::{self, StreamExt};
use repertoire_core::{Item, Skill};
use repertoire_registry::{Entry, Registry};

use super::authored::prompts_beside;
use super::blocking::BlockingWork;
use super::postings::Dictionary;
use super::text_part::{PartWorkers, TextPart};
use super::{IndexSettings, PromptGoal, Query, SearchHit, SearchIndex, SearchItem, SkillText};

/// The index of a registry, updated when it is used. Cheap to clone; clones share the index.
///
/// No task runs in the background: the first call after a change updates the index. It is not a method of the registry, because
/// the caller keeps the index: create it once and query it often.
#[derive(Debug, Clone)]
pub struct LiveIndex<T: Item = Skill>(Arc<LiveIndexState<T>>);

#[derive(Debug)]
struct LiveIndexState<T: Item> {
    registry: Registry<T>,
    settings: IndexSettings,
    index: ArcSwap<SearchIndex<T>>,
}

/// Texts that a worker takes at a time.
const BATCH: usize = 128;

/// Skills that are read at a time. Each file waits for a thread of the runtime, which takes longer than reading it.
const TOGETHER: usize = 8;

impl<T: SearchItem> LiveIndex<T> {
    /// Builds the index of `registry`.
    pub fn new(registry: Registry<T>) -> LiveIndex<T> {
        LiveIndex::with_settings(registry, IndexSettings::new())
    }

    /// Builds the index of `registry` with the synonyms of `settings`. Its examples follow with the
    /// [bodies](LiveIndex::read_bodies).
    pub fn with_settings(registry: Registry<T>, settings: IndexSettings) -> LiveIndex<T> {
        let index = SearchIndex::new(&registry.snapshot()).with_synonyms(settings.synonyms.clone());
        let index = ArcSwap::from_pointee(index);
        LiveIndex(Arc::new(LiveIndexState {
            registry,
            settings,
            index,
        }))
    }

    /// Returns the indexed registry.
    pub fn registry(&self) -> &Registry<T> {
        &self.0.registry
    }

    /// Returns the index of the registry's current snapshot.
    pub fn current(&self) -> SearchIndex<T> {
        let snapshot = self.0.registry.snapshot();
        let index = self.0.index.load();
        // Generations of one registry only rise. A caller with an older snapshot keeps the newer index.
        if index.snapshot().generation() >= snapshot.generation() {
            return SearchIndex::clone(&index);
        }
        let updated = Arc::new(index.updated(&snapshot));
        self.0.index.rcu(|now| {
            let newer = now.snapshot().generation() >= updated.snapshot().generation();
            if newer {
                Arc::clone(now)
            } else {
                Arc::clone(&updated)
            }
        });
        SearchIndex::clone(&updated)
    }

    /// Reads the bodies that are not in the index yet, and adds them with the example prompts of their skills. Returns how
    /// many were read.
    ///
    /// Examples are those of the settings, and those that [authors](super::ExpectedPrompt::beside_skills) put beside a skill, which
    /// count for this skill alone. Searches do not wait for it: a host spawns it after loading and after each change. A body
    /// that cannot be read counts as empty until its skill changes.
    ///
    /// Eight skills are read at a time. Many bodies are taken apart by at most four threads that tokio's runtime has for blocking
    /// work.
    ///
    /// # Cancel safety
    /// Safe: what was read is lost, and read again by the next call.
    pub async fn read_bodies(&self) -> usize {
        let index = self.current();
        // The runtime shuts down.
        self.read_into(index).await.unwrap_or_default()
    }

    async fn read_into(&self, index: SearchIndex<T>) -> Option<usize> {
        let unread = index.0.unread();
        let unread = unread.map(|(number, entry)| (number, entry.clone()));
        let unread: Vec<(u32, Arc<Entry<T>>)> = unread.collect();
        let missing = unread.len();
        if missing == 0 {
            return Some(0);
        }
        let are_few = index.0.are_few(missing);
        let mut workers = PartWorkers::new(index.0.most_terms());
        let mut examples = self.0.settings.examples_in(index.snapshot());
        let mut texts = Vec::new();
        let reads = unread.into_iter().map(|(number, entry)| {
            let prompts = examples.remove(&entry.id).unwrap_or_default();
            async move {
                let text = self.text_of(&entry, prompts).await;
                (number, entry, text)
            }
        });
        let mut reads = pin!(stream::iter(reads).buffered(TOGETHER));
        while let Some(read) = reads.next().await {
            texts.push(read);
            if texts.len() == BATCH && !are_few {
                workers.add(std::mem::take(&mut texts)).await?;
            }
        }
        if are_few {
            let texts = texts.iter().map(|(number, _, text)| (*number, text));
            self.publish(index.with_few_texts(texts));
            return Some(missing);
        }
        workers.add(texts).await?;
        self.publish_parts(index, workers.finish().await?).await?;
        Some(missing)
    }

    /// Publishes `index` with these parts. Two threads build its halves.
    async fn publish_parts(&self, index: SearchIndex<T>, parts: Vec<TextPart>) -> Option<()> {
        let of_parts = index.clone();
        let joined = BlockingWork::start(move || of_parts.joined(parts));
        let (joined, counted) = joined.output().await?;
        let joined = Arc::new(joined);
        let of_texts = joined.clone();
        let texts = BlockingWork::start(move || of_texts.texts());
        let dictionary = BlockingWork::start(move || Dictionary::of(joined.postings(), counted));
        let (texts, dictionary) = (texts.output().await?, dictionary.output().await?);
        let live = self.clone();
        let publish = move || live.publish(index.with_joined(dictionary, texts));
        BlockingWork::start(publish).output().await
    }

    /// Reads the body of a skill, and the prompts that its author put beside it.
    async fn text_of(&self, entry: &Arc<Entry<T>>, prompts: Vec<Arc<str>>) -> SkillText {
        let body = self.0.registry.body(&entry.candidate).await;
        let text = body.map_or_else(
            |_| SkillText::new(),
            |body| SkillText::new().body(body.text),
        );
        let authored = prompts_beside(&self.0.registry, entry).await.into_iter();
        let authored = authored.filter(|one| matches!(one.goal, PromptGoal::AnyOf(_)));
        let prompts = prompts.into_iter().chain(authored.map(|one| one.prompt));
        let prompts = prompts.filter(|prompt| !self.0.settings.is_omitted(prompt));
        prompts.fold(text, SkillText::example)
    }

    /// Replaces the current index by `read`, which has texts.
    fn publish(&self, read: SearchIndex<T>) {
        let mut read = Arc::new(read);
        loop {
            let now = self.0.index.load_full();
            if now.snapshot().generation() > read.snapshot().generation() {
                // The snapshot changed while the bodies were read: what changed loses its text again.
                read = Arc::new(read.updated(now.snapshot()));
            }
            let before = self.0.index.compare_and_swap(&now, Arc::clone(&read));
            if Arc::ptr_eq(&before, &now) {
                return;
            }
        }
    }

    /// Searches the registry's current snapshot.
    pub fn search(&self, query: &Query) -> Vec<SearchHit<T>> {
        self.current().search(query)
    }
}
