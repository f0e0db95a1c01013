//! Words in other forms than those of the skill, in each language with a stemmer.

use super::*;
use crate::language::{Language, LanguageCounts, LanguageSet};

/// For each language: a description, and a query whose words it has in other forms only.
const FORMS: [(Language, &str, &str); 17] = [
    (
        Language::Arabic,
        "يقرأ الملفات ويكتب التقارير عن المشاريع",
        "ملف",
    ),
    (
        Language::Danish,
        "Opretter fakturaer til kunderne og sender dem med en påmindelse.",
        "kunde faktura",
    ),
    (
        Language::Dutch,
        "Controleert de facturen van de klanten en boekt deze in het grootboek.",
        "factuur klant",
    ),
    (
        Language::Finnish,
        "Tarkistaa laskut ja lähettää ne asiakkaille, kun tilaus on valmis.",
        "laskun asiakkaan",
    ),
    (
        Language::French,
        "Prépare les réunions et rédige des comptes rendus pour les équipes.",
        "préparer réunion équipe",
    ),
    (
        Language::German,
        "Prüft die Rechnungen der Lieferanten und bucht sie in der Buchhaltung.",
        "Rechnung Lieferant",
    ),
    (
        Language::Greek,
        "Ελέγχει τα τιμολόγια και γράφει αναφορές για τους πελάτες",
        "αναφορά πελάτης",
    ),
    (
        Language::Hungarian,
        "Ellenőrzi a számlákat és elküldi az ügyfeleknek, ha egy rendelés kész.",
        "számlák ügyfelek",
    ),
    (
        Language::Italian,
        "Controlla le fatture dei clienti e prepara i documenti per la contabilità.",
        "controllare fattura documento",
    ),
    (
        Language::Norwegian,
        "Oppretter fakturaer til kundene og sender dem med en påminnelse.",
        "kunde faktura",
    ),
    (
        Language::Portuguese,
        "Verifica as faturas dos clientes e prepara os relatórios para a contabilidade.",
        "fatura relatório",
    ),
    (
        Language::Romanian,
        "Verifică facturile și pregătește documentele pentru clienți.",
        "facturi document",
    ),
    (
        Language::Russian,
        "Проверяет счета и пишет отчёты для клиентов",
        "отчёт клиент",
    ),
    (
        Language::Spanish,
        "Revisa las facturas de los clientes y prepara los informes para el equipo.",
        "revisar factura informe",
    ),
    (
        Language::Swedish,
        "Skapar fakturor till kunderna och skickar dem med en påminnelse.",
        "kund faktura",
    ),
    (
        Language::Tamil,
        "கோப்புகளை வாசித்து அறிக்கைகளை எழுதும்",
        "கோப்பு அறிக்கைகள்",
    ),
    (
        Language::Turkish,
        "Belgeleri kontrol eder ve müşteriler için raporlar hazırlar.",
        "belgeler rapor",
    ),
];

#[test]
fn skills_are_found_by_other_forms_of_words() {
    assert_eq!(FORMS.map(|(language, ..)| language), Language::ALL);
    for (language, about, query) in FORMS {
        let index = index([
            skill("asked", about),
            skill("other", "Reads the weather, and prints it."),
        ]);
        let hits = index.search(&Query::new(query));
        let found: Vec<(&str, Vec<&str>)> = hits
            .iter()
            .map(|hit| {
                let words = hit.why.words.iter().map(|word| &*word.word);
                (hit.entry.id.as_str(), words.collect())
            })
            .collect();
        let query = query.to_lowercase().replace('ς', "σ");
        let words = query.split(' ').collect();
        assert_eq!(found, [("asked", words)], "{language:?}");
    }
}

#[test]
fn forms_in_examples_and_bodies_are_found() {
    let index = index([
        skill("invoices", "Invoices."),
        skill("meetings", "Meetings."),
    ]);
    let index = index.with_texts(
        [
            (
                "invoices",
                SkillText::new().example("prüfe bitte die Rechnungen der Kunden"),
            ),
            (
                "meetings",
                SkillText::new().body("# Ablauf\nSammle die Themen und schreibe ein Protokoll."),
            ),
        ]
        .map(|(id, text)| (id.parse().unwrap(), text))
        .iter()
        .map(|(id, text): &(Id, SkillText)| (id, text)),
    );
    check(&index, "Rechnung prüfen", &["invoices"]);
    check(&index, "Protokolle", &["meetings"]);
}

#[test]
fn an_exact_word_ranks_above_other_forms() {
    let index = index([
        skill("b-many", "Prüft die Rechnungen und bucht sie."),
        skill("c-one", "Prüft die Rechnung und bucht sie."),
    ]);
    check(&index, "Rechnung", &["c-one", "b-many"]);
    check(&index, "Rechnungen", &["b-many", "c-one"]);
}

#[test]
fn english_queries_do_not_match_foreign_forms() {
    // The Spanish stem of both is `us`.
    let index = index([skill(
        "usar",
        "Usa las listas de los clientes para el equipo.",
    )]);
    check(&index, "use the users of the app", &[]);
}

#[test]
fn frequent_words_identify_a_language() {
    let of = |text: &str| {
        let mut counts = LanguageCounts::default();
        crate::tokenize::words(text, |word| counts.add(LanguageSet::of(word), 1));
        counts.language()
    };
    let found = [
        "Create release notes for the team, and send them to the users.",
        "Liest die Datei und schreibt the release notes.",
        "Deploys containers.",
        "De la Cruz Consulting: reports for the board and the auditors.",
        "Ajoute une page au site avec le texte du client.",
    ]
    .map(of);
    assert_eq!(
        found,
        [
            None,
            Some(Language::German),
            None,
            None,
            Some(Language::French)
        ]
    );
}
