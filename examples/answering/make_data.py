"""Passages about people, questions about them, and the answers as they stand in the passage:
data/{train,valid}.{question,passage,answer}. Valid passages have people and places that no training passage has."""
import pathlib
import random

PEOPLE = """Anna Bruno Carla Daniel Elif Farid Greta Hugo Ines Jonas Karim Lena Mateo Nadia Olaf Petra Quentin Rosa Samir Tara Uwe Vera
Wanda Xavier Yusuf Zoe Amara Boris Chen Dora Emil Fatima Georg Hanna Ivan Jana Kofi Laila Milan Nora Otto Paula Ravi Sofia Tomas Una
Viktor Wei Yara Zeno""".split()
PLACES = """Bergen Porto Krakow Lyon Ghent Turin Graz Malmo Cork Bilbao Aarhus Bremen Split Ostrava Tampere Basel Utrecht Varna Patras
Kaunas Namur Siena Leeds Nantes Bonn Gdansk Faro Pisa Linz Tartu Jena Nice""".split()
JOBS = "baker painter nurse teacher sailor carpenter pilot gardener singer doctor cook driver writer farmer tailor clerk".split()
PETS = "cat dog parrot horse rabbit goat duck turtle hamster pony".split()
FACTS = [
    ("place", ["{who} lives in {place} .", "the home of {who} is {place} .", "in {place} one finds {who} ."],
     ["where does {who} live ?", "in which town is the home of {who} ?"]),
    ("job", ["{who} works as a {job} .", "by trade {who} is a {job} .", "people know {who} as a {job} ."],
     ["what does {who} do for a living ?", "what is the trade of {who} ?"]),
    ("pet", ["{who} has a {pet} .", "a {pet} belongs to {who} .", "{who} feeds a {pet} every day ."],
     ["which animal does {who} have ?", "what kind of pet belongs to {who} ?"]),
    ("age", ["{who} is {age} years old .", "{who} turned {age} last spring ."],
     ["how old is {who} ?", "what is the age of {who} ?"]),
]


def example(rng, people, places):
    sentences, asked = [], []
    for who in rng.sample(people, 2):
        values = {"who": who, "place": rng.choice(places), "job": rng.choice(JOBS), "pet": rng.choice(PETS), "age": str(rng.randrange(18, 99))}
        for kind, says, asks in rng.sample(FACTS, 3):
            sentences.append(rng.choice(says).format(**values))
            asked.append((rng.choice(asks).format(**values), values[kind]))
    rng.shuffle(sentences)
    passage = " ".join(sentences)
    once = [pair for pair in asked if f" {passage} ".count(f" {pair[1]} ") == 1]  # otherwise the answer has no one place
    return (*rng.choice(once), passage) if once else example(rng, people, places)


def main():
    rng = random.Random(1)
    here = pathlib.Path(__file__).parent / "data"
    here.mkdir(exist_ok=True)
    parts = {"train": (10000, PEOPLE[:40], PLACES[:24]), "valid": (1000, PEOPLE[40:], PLACES[24:])}
    for name, (count, people, places) in parts.items():
        rows = [example(rng, people, places) for _ in range(count)]
        for column, side in enumerate(("question", "answer", "passage")):
            (here / f"{name}.{side}").write_text("".join(row[column] + "\n" for row in rows))
        print(f"{name}: {count} questions")


if __name__ == "__main__":
    main()
