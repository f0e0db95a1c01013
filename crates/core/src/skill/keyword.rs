//! Words that are too short or too common to suggest a skill.

use std::collections::HashSet;
use std::fmt;
use std::sync::LazyLock;

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The reason why a keyword never suggests a skill: nearly every message would have it.
///
/// The words that are too common are those of English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Polish,
/// Russian, Turkish, Arabic, Chinese, Japanese and Korean that stand in requests of any kind: articles, pronouns, auxiliary
/// verbs, question words, greetings and thanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WeakKeyword {
    /// It has fewer than 3 letters; in Chinese, Japanese and Korean, fewer than 2 characters.
    Short,
    /// Each of its words stands in messages of every kind.
    Common,
}

impl WeakKeyword {
    /// Returns the reason why `keyword` never holds, if there is one.
    ///
    /// Letter case, compatibility forms and apostrophes are not compared. A digit counts as a letter, as does `+` or `#` right
    /// behind one: `c++` has three.
    pub fn of(keyword: &str) -> Option<WeakKeyword> {
        let (mut letters, mut word, mut is_common, mut is_dense) = (0, String::new(), true, false);
        let mut end = |word: &mut String| {
            is_common &= word.is_empty() || COMMON.contains(word.as_str());
            word.clear();
        };
        for c in keyword.nfkc().flat_map(char::to_lowercase) {
            if c.is_alphanumeric() || matches!(c, '+' | '#') && !word.is_empty() {
                is_dense |= is_cjk(c);
                letters += 1;
                word.push(c);
            } else if is_combining_mark(c) && !word.is_empty() {
                word.push(c);
            } else if !matches!(c, '\'' | '’') {
                end(&mut word);
            }
        }
        end(&mut word);
        match letters {
            0..2 => Some(WeakKeyword::Short),
            2 if !is_dense => Some(WeakKeyword::Short),
            _ => is_common.then_some(WeakKeyword::Common),
        }
    }
}

impl fmt::Display for WeakKeyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            WeakKeyword::Short => "expected at least 3 letters, or 2 characters in Chinese, Japanese and Korean",
            WeakKeyword::Common => "it stands in messages of every kind; expected a word that belongs to the skill",
        })
    }
}

fn is_cjk(c: char) -> bool {
    matches!(u32::from(c),
        0x1100..=0x11FF | 0x3040..=0x30FF | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF
        | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

static COMMON: LazyLock<HashSet<&str>> =
    LazyLock::new(|| LANGUAGES.iter().flat_map(|words| words.split_ascii_whitespace()).collect());

const LANGUAGES: [&str; 15] = [
    "a about after again all also am an and any are arent as at be because been before but by can cant could did didnt do \
     does doesnt doing dont done else ever every for from get give go going good got had has hasnt have havent he hello help \
     her here hers hey hi him his how i id if ill im in into is isnt it its ive just know let lets like look make many may me \
     might more most much must my need needs new no not now of off ok okay on one only or other our out over own please really \
     right same say see she should show so some still such sure take tell than thank thanks that thats the their them then \
     there these they thing things think this those to too try up us use used user uses using very want wants was wasnt way we \
     well were what whats when where which who why will with without wont work would wouldnt yes yet you your youre yours",
    "aber alle alles als also am an auch auf aus bei bin bis bitte brauche da damit danke dann das dass dein deine dem den der \
     des die dies diese dieser dieses dir doch du durch ein eine einem einen einer eines er es etwas euch für gerne gib gibt \
     gut guten habe haben hallo hast hat hatte hier hilfe ich ihm ihn ihr ihre im immer in ist ja jetzt kann kannst kein keine \
     können könnte könntest lass mache machen mal man mehr mein meine mich mir mit möchte muss nach nein nicht noch nun nur ob \
     oder ohne schon sehr sein seine sich sie sind so soll sollte über um und uns unser vom von vor wann war warum was weil \
     welche welcher wenn wer werden wie wieder will wir wird wo würde zu zum zur",
    "ai ainsi alors après as au aussi autre aux avec avez avoir avons besoin bien bonjour car ce cela ces cest cet cette comme \
     comment dans de des deux dit dois doit donc donne du elle elles en encore est et être eux fait faire fais faut il ils jai \
     je la le les leur leurs lui ma mais me même merci mes moi mon ne nos notre nous on ont ou où par pas peu peut peux plus \
     pour pourquoi pouvez puis quand que quel quelle qui quoi sa salut sans se ses si son sont sous suis sur ta te tes toi ton \
     tous tout toute toutes très tu un une va veux vos votre vous",
    "a al algo ahora aquí así ayuda bien bueno cada como cómo con cual cuál cuando cuándo cuanto de del desde donde dónde dos \
     el él ella ellas ellos en entre era eres es esa ese eso esta está están estar este esto estoy favor fue gracias ha hace \
     hacer han has hasta hay haz he hola la las le les lo los más me mi mis muy nada necesito ni no nos nosotros o otra otro \
     para pero poco por porque pues puede puedes puedo que qué quien quién quiero se sea ser si sí sin sobre solo sólo son soy \
     su sus también te tengo tiene todo todos tu tú tus un una uno unos usted y ya yo",
    "a ad ai al alla alle anche ancora aiuto bene buongiorno che chi ci ciao come con così cosa cui da dal dalla degli dei del \
     della delle di dio dove due e è ed era essere fa fai fare favore già gli grazie ha hai hanno ho i il in io la le lei li lo \
     loro lui ma me mi mia mie mio molto ne nel nella no noi non nostro o ogni ora per perché però più poi posso puoi può qua \
     qual quale quando quanto quella quello questa queste questi questo qui quindi sa se sei senza si sì sia sono sta sto su \
     sua sue sui sul sulla suo te ti tra tu tua tuo tutti tutto un una uno va vi voglio voi vorrei",
    "a agora ai ainda ajuda algo ao aos aqui as assim até bem boa bom cada com como da das de dela dele depois do dos e é ela \
     elas ele eles em então era essa esse esta está estou estar este eu faça fazer favor foi há isso isto já lhe mais mas me \
     mesmo meu meus minha muito na nas não nem no nos nós nossa nosso num numa o obrigada obrigado olá onde os ou outra outro \
     para pela pelo pode posso por porque porquê pra preciso qual quais quando quanto que quê quem quero se sem ser seu seus si \
     só sobre sou sua suas também te tem tenho ter teu toda todo todos tu tua tudo um uma umas uns você vocês vou",
    "aan al alle alleen als alsjeblieft alstublieft altijd andere bedankt ben bij dag dan dank dat de deze die dit doe doen \
     door dus een eens en er ga geef geen goed graag haar had heb hebben heeft hem het hier hij hoe hun ik in is ja jaar je jij \
     jou jouw jullie kan kun kunnen maak maar maken mag me meer met mij mijn moet na naar nee niet nog nu of om omdat onder ons \
     onze ook op over te toch toen tot u uit uw van veel voor waar waarom wanneer want was wat we weer wel welke wie wij wil \
     willen worden wordt zal ze zelf zich zij zijn zo zonder zou",
    "alla allt and att av bara behöver bli blir bra de dem den denna det detta dig din dina du där då efter eller en ett från \
     få får för ge genom gör göra ha han har hej henne hennes här hjälp hon hur i igen in inte ja jag kan kunde man med mer mig \
     min mina mot mycket måste namn nej ni nu när något och om oss på sa ska skulle så sig sin sina som tack till under upp ut \
     vad var varför vara vem vi vid vilja vilken vill var",
    "a aby ale bardzo bez bo był była było być by chcę ci ciebie co czy czym dla do dobry dobrze dziękuję dzień gdy gdzie go i \
     ich ile im inny ja jak jaka jaki jakie jego jej jest jestem jeśli już kiedy kto która które który którzy ma mam masz mi \
     mną mnie mogę moje może możesz mój można musi my na nad nam nas nasz nie nic niech nim o od on ona one oni ono oraz po pod \
     pomocy potrzebuję proszę przed przez przy są się tak także tam te tego tej ten teraz też to tobie tu tutaj twój ty tylko \
     tym w wam was we więc wszystko wy z za zrób że żeby",
    "а без бы был была были было быть в вам вас ваш весь во вот все всё всего вы где да давай для до его ее её если есть еще \
     ещё же за здесь и из или им их к как какая какие какой когда которая которые который кто ли лучше меня мне могу может \
     можете можешь можно мой моя мы на над надо нам нас наш не него нее нет ни нибудь них но ну нужен нужна нужно о об один он \
     она они оно от очень по под покажи помоги помогите пожалуйста после потому почему при привет про с сделай сделать себя со \
     спасибо так такой там тебе тебя тем то тоже только тот ты у уже хочу чего чем что чтобы эта эти это этот я",
    "acaba ama ancak artık aslında ayrıca az bana bazı belki ben beni benim bir biraz biri biz bize bizim bu buna bunu bunun \
     burada çok çünkü da daha de değil diye en evet gibi göre hangi hayır hem hep her hiç için ile ise istiyorum işte kadar \
     kendi ki kim lazım lütfen merhaba mı mi mu mü nasıl ne neden nerede niçin o olan olarak oldu olsun olur ona onlar onu onun \
     oysa sadece sana sen seni senin siz size sizin şey şimdi şu tamam teşekkürler teşekkür tüm var ve veya ver ya yap yapabilir \
     yardım yok",
    "أن أنا أنت أو أي أين أريد إذا إلى إن الآن التي الذي السلام اليوم بعد بعض بل به بها بين تم تلك ثم جدا حتى حيث خلال ذلك شكرا \
     عليكم عن عند غير فإن فضلك في فيه قبل قد كان كانت كل كم كما كيف كي لا لأن لقد لكن لم لماذا لن له لها ليس ما ماذا متى مرحبا \
     مع من منه منها نحن نعم هذا هذه هل هم هنا هناك هو هي و وهو يا يمكن يمكنك يكون على علي",
    "一个 一下 一些 一样 一般 不是 不能 不要 个人 为了 为什么 之后 之前 也是 什么 今天 他们 以及 你们 你好 你的 使用 但是 \
     您好 其他 再见 几个 到底 协助 只是 只要 可不可以 可以 可能 各位 吗 告诉 哪个 哪些 哪里 因为 多少 大家 她们 如何 如果 \
     完成 对于 就是 希望 帮助 帮忙 帮我 应该 开始 怎么 怎么样 怎样 您的 我们 我想 我的 我要 或者 所以 所有 所謂 所谓 才能 \
     打算 把 按照 时候 是否 是的 有没有 有点 来自 現在 现在 知道 给我 自己 觉得 认为 让我 许多 请 请问 谁的 谢谢 起来 还是 \
     还有 这个 这些 这样 这里 进行 通过 那个 那些 那么 那样 那里 都是 都有 问题 需要 非常 麻烦 為什麼 請問 謝謝 這個 這些 \
     那個 什麼 怎麼 可以 幫我 幫忙 我們 你們 他們 沒有 没有 已经 已經 然后 然後 以后 以後",
    "あなた あの ありがとう あります ある あれ いい いう いく いつ いて います いる いろいろ うん お願い お願いします から \
     ください くれ けど こう ここ こちら こと この これ こんにちは さん した したい して しない しましょう します しました \
     する すべて せる そう そこ そして その それ たい ため たら だけ だった だと ちょっと つく って てい てください てる では \
     です でした でも という とき どう どうか どうやって どこ どの どれ ない なお なか なに なの なら なる なぜ ので のに のは \
     はい ほう ほしい ます まで また ました ませ まだ みる もう もの やって やる ように よう より られる れる わたし を 下さい \
     何 今 何か 作って 使って 使う 僕 出来 出来る 彼 彼女 教えて 方法 時 書いて 私 私の 自分 見て 見る 誰",
    "가 것 것은 것을 것이 게 그 그것 그냥 그래서 그런 그럼 그리고 나 나는 나의 내 내가 너 너무 네 누가 누구 는 당신 대한 대해 \
     더 도와 도와줘 도와주세요 된다 되는 될 등 따라 때 때문에 또 또는 를 만 만들어 만들어줘 많은 많이 매우 모두 모든 무슨 무엇 \
     뭐 및 보고 부탁 부탁해 부탁합니다 사용 수 습니다 시다 싶어 싶어요 아니 아니요 안녕 안녕하세요 알려줘 알려 어느 어디 어떤 \
     어떻게 언제 없는 없다 에서 여기 여러 오늘 왜 우리 위해 으로 은 을 의 이 이것 이런 있나요 있는 있다 있어 있어요 있습니다 \
     저 저는 저것 저기 저희 정말 제가 좀 주세요 줘 지금 하고 하기 하나 하는 하다 하면 하지 하지만 한 한다 할 합니다 해 해서 \
     해야 해주세요 해줘 했다",
];

#[cfg(test)]
mod tests;
