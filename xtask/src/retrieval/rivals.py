"""Ranks the skills of a file for its questions with other programs, and prints the best ten of each as JSON."""

import json
import re
import sys
import time

import bm25s
import Stemmer
import tantivy
import yaml


def parts(doc):
    found = re.match(r"---\n(.*?)\n---\n?(.*)", doc["text"], re.S)
    front, body = found.groups() if found else ("", doc["text"])
    try:
        fields = yaml.safe_load(front) or {}
    except yaml.YAMLError:
        fields = dict(line.split(":", 1) for line in front.splitlines() if ":" in line)
    return str(fields.get("name", doc["id"])), str(fields.get("description", "")), body


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
    for place, (name, description, body) in enumerate(skills):
        writer.add_document(tantivy.Document(place=place, name=name, description=description, body=body))
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


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
    ids = [doc["id"] for doc in given["docs"]]
    skills = [parts(doc) for doc in given["docs"]]
    questions = given["questions"]
    short = [f"{name} {description}" for name, description, _ in skills]
    long = [" ".join(skill) for skill in skills]
    ranked = [
        ("bm25s", with_bm25s(ids, short, questions)),
        ("bm25s, with bodies", with_bm25s(ids, long, questions)),
        ("tantivy", with_tantivy(ids, skills, questions)),
    ]
    print("agentskills-retrieval: SKIPPED, not compared: it needs Python 3.12", file=sys.stderr)
    json.dump([{"search": search, "answers": answers} for search, answers in ranked], sys.stdout)


main()
