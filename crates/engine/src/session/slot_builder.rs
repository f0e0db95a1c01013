//! The parts of a model call while they are placed.

use std::sync::Arc;

use repertoire_core::{Flavor, Id, Role, Slot, Surface, ToolSpec};

use super::evaluation::Active;
use super::messages::MessageRules;
use super::notice::{Notice, NoticeReason};
use super::options::BodyPlacement;
use super::slots::{Delivery, MessagePlace, Placement, SlotMessage, Slots};
use super::turn::ConversationEnd;

#[derive(Debug)]
pub(super) struct SlotBuilder {
    pub(super) slots: Slots,
    system: Vec<String>,
    buffer: Vec<(Id, String)>,
    pub(super) due: Vec<Id>,
    pub(super) tail: ConversationEnd,
    pub(super) rules: MessageRules,
}

impl SlotBuilder {
    pub(super) fn new(tail: ConversationEnd, rules: MessageRules) -> SlotBuilder {
        SlotBuilder {
            slots: Slots::default(),
            system: Vec::new(),
            buffer: Vec::new(),
            due: Vec::new(),
            tail,
            rules,
        }
    }

    pub(super) fn record(
        &mut self,
        active: &Active,
        slot: Slot,
        delivery: Delivery,
        surface: Option<Surface>,
    ) {
        let (id, flavor, reason) = (active.id.clone(), active.flavor.clone(), active.reason());
        self.slots.placements.push(Placement {
            id,
            flavor,
            slot,
            delivery,
            surface,
            reason,
        });
    }

    pub(super) fn place(
        &mut self,
        active: &Active,
        text: &str,
        bodies: BodyPlacement,
        surface: Option<Surface>,
    ) {
        let text = text.trim_end().to_owned();
        let slot = match bodies {
            BodyPlacement::SystemPrompt => {
                self.system.push(text);
                Slot::SystemPrompt
            }
            BodyPlacement::Buffer => {
                self.buffer.push((active.id.clone(), text));
                Slot::Messages
            }
        };
        self.record(active, slot, Delivery::Now, surface);
    }

    pub(super) fn defer(&mut self, ids: Vec<Id>, flavor: &Flavor, role: Role, cause: &'static str) {
        let why = NoticeReason::Deferred { role, cause };
        self.slots.notices.extend(
            ids.into_iter()
                .map(|id| Notice::new(id, flavor.clone(), why.clone())),
        );
    }

    pub(super) fn push_message(
        &mut self,
        role: Role,
        text: Arc<str>,
        ids: Vec<Id>,
        flavor: &Flavor,
    ) -> bool {
        if let Some(cause) = self.rules.refuses(self.tail, role) {
            self.defer(ids, flavor, role, cause);
            return false;
        }
        self.tail = match role {
            Role::User => ConversationEnd::User,
            Role::Assistant => ConversationEnd::Assistant,
            _ => self.tail,
        };
        self.slots.messages.push(SlotMessage {
            role,
            text,
            place: MessagePlace::End,
            ids,
        });
        true
    }

    pub(super) fn offer_tool(&mut self, active: &Active, tool: &ToolSpec) {
        match self
            .slots
            .tools
            .iter()
            .find(|offered| offered.name == tool.name)
        {
            None => self.slots.tools.push(tool.clone()),
            Some(offered) if offered == tool => {}
            Some(_) => {
                let why = NoticeReason::ToolTaken(tool.name.clone());
                self.slots
                    .notices
                    .push(Notice::new(active.id.clone(), active.flavor.clone(), why));
            }
        }
    }

    pub(super) fn mark_delivered(&mut self, ids: &[Id], delivery: Delivery) {
        let left_out = self
            .slots
            .placements
            .iter_mut()
            .filter(|placement| placement.delivery == Delivery::LeftOut);
        left_out
            .filter(|placement| ids.contains(&placement.id))
            .for_each(|placement| placement.delivery = delivery);
    }

    pub(super) fn finish(mut self) -> Slots {
        self.slots.system_prompt = self.system.join("\n\n");
        if !self.buffer.is_empty() {
            let place = if self.rules.is_alternating() {
                MessagePlace::InMessage
            } else {
                MessagePlace::BeforeMessage
            };
            let (ids, texts): (Vec<_>, Vec<_>) = self.buffer.into_iter().unzip();
            let text = texts.join("\n\n").into();
            self.slots.messages.insert(
                0,
                SlotMessage {
                    role: Role::User,
                    text,
                    place,
                    ids,
                },
            );
        }
        self.slots
    }
}
