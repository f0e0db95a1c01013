"""Ranks the skills of a file for its questions with other programs, and prints the best ten of each as JSON."""

import asyncio
import json
import re
import sys
import time

import bm25s
import Stemmer
import tantivy
import yaml

try:
    from agentskills_retrieval import LexicalSelector
except ImportError:
    LexicalSelector = None


class Skill:
    """A skill as `agentskills_retrieval` reads it from a registry."""

    def __init__(self, doc):
        found = re.match(r"---\n(.*?)\n---\n?(.*)", doc["text"], re.S)
        front, self.body = found.groups() if found else ("", doc["text"])
        try:
            self.fields = yaml.safe_load(front) or {}
        except yaml.YAMLError:
            self.fields = dict(line.split(":", 1) for line in front.splitlines() if ":" in line)
        self.id = doc["id"]
        self.name = str(self.fields.get("name", doc["id"]))
        self.description = str(self.fields.get("description", ""))

    def get_id(self):
        return self.id

    async def get_metadata(self):
        return self.fields


class Registry:
    def __init__(self, skills):
        self.skills = skills

    def list_skills(self):
        return self.skills


def timed(questions, ask):
    answers = []
    for question in questions:
        begun = time.perf_counter()
        found, score = ask(question)
        answers.append((found, score, (time.perf_counter() - begun) * 1e6))
    return answers


def with_bm25s(ids, texts, questions):
    stemmer = Stemmer.Stemmer("english")
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
    most = min(10, len(ids))

    def ask(question):
        tokens = bm25s.tokenize([question], stopwords="en", stemmer=stemmer, show_progress=False)
        found, scores = index.retrieve(tokens, k=most, show_progress=False)
        return [ids[place] for place in found[0]], float(scores[0][0])

    return timed(questions, ask)


def with_tantivy(ids, skills, questions):
    schema = tantivy.SchemaBuilder()
    schema.add_integer_field("place", stored=True)
    for field in ("name", "description", "body"):
        schema.add_text_field(field, tokenizer_name="en_stem")
    index = tantivy.Index(schema.build())
    writer = index.writer(num_threads=1)
    for place, skill in enumerate(skills):
        document = tantivy.Document(place=place, name=skill.name, description=skill.description, body=skill.body)
        writer.add_document(document)
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def ask(question):
        words = " ".join(re.findall(r"\w+", question.lower()))
        query = index.parse_query(words, ["name", "description", "body"])
        hits = searcher.search(query, 10).hits
        found = [ids[searcher.doc(address)["place"][0]] for _, address in hits]
        return found, float(hits[0][0]) if hits else 0.0

    return timed(questions, ask)


def with_agentskills(skills, questions):
    selector = LexicalSelector(Registry(skills))
    loop = asyncio.new_event_loop()
    loop.run_until_complete(selector.index())

    def ask(question):
        best = loop.run_until_complete(selector.select(question, limit=10)).selected
        return [scored.skill_id for scored in best], float(best[0].score) if best else 0.0

    return timed(questions, ask)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
    ids = [doc["id"] for doc in given["docs"]]
    skills = [Skill(doc) for doc in given["docs"]]
    questions = given["questions"]
    short = [f"{skill.name} {skill.description}" for skill in skills]
    long = [f"{skill.name} {skill.description} {skill.body}" for skill in skills]
    ranked = [
        ("bm25s", with_bm25s(ids, short, questions)),
        ("bm25s, with bodies", with_bm25s(ids, long, questions)),
        ("tantivy", with_tantivy(ids, skills, questions)),
    ]
    if LexicalSelector:
        ranked.append(("agentskills-retrieval", with_agentskills(skills, questions)))
    else:
        print("agentskills-retrieval: SKIPPED, not compared: it needs Python 3.12", file=sys.stderr)
    json.dump([{"search": search, "answers": answers} for search, answers in ranked], sys.stdout)


main()
