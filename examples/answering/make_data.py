"""Passages about two people, questions about one of them, and the answers as they stand in the passage:
data/{train,valid}.{question,passage,answer}. No passage occurs twice, so those of valid are new.

usage: make_data.py [COUNT]
COUNT: of questions to train on (60000)"""
import pathlib
import random
import sys

PEOPLE = "Anna Bruno Carla Daniel Elif Farid Greta Hugo Ines Jonas Karim Lena Mateo Nadia Olaf Petra".split()
PLACES = "Bergen Porto Krakow Lyon Ghent Turin Graz Malmo Cork Bilbao Aarhus Bremen Ostrava Tampere Basel Utrecht Varna Patras Kaunas Namur".split()
JOBS = "baker painter nurse teacher sailor carpenter pilot gardener singer doctor cook driver writer farmer tailor clerk".split()
COLOURS = "black white grey brown spotted".split()
PETS = "cat dog parrot horse rabbit goat duck turtle hamster pony".split()
FACTS = {  # what a passage says, and what a question asks
    "place": (["{who} lives in {place} .", "the home of {who} is {place} .", "in {place} one finds {who} ."],
              ["where does {who} live ?", "in which town is the home of {who} ?"]),
    "job": (["{who} works as a {job} .", "by trade {who} is a {job} .", "people know {who} as a {job} ."],
            ["what does {who} do for a living ?", "what is the trade of {who} ?"]),
    "pet": (["{who} has a {pet} .", "a {pet} belongs to {who} .", "{who} feeds a {pet} every day ."],
            ["which animal does {who} have ?", "what kind of pet belongs to {who} ?"]),
}


def example(rng):
    """The same one to three kinds of facts about two people, and a question about one of the facts."""
    kinds, people = rng.sample(sorted(FACTS), rng.randint(1, 3)), rng.sample(PEOPLE, 2)
    places, jobs = rng.sample(PLACES, 2), rng.sample(JOBS, 2)
    pets = [rng.choice([pet, f"{rng.choice(COLOURS)} {pet}"]) for pet in rng.sample(PETS, 2)]
    facts = [(kind, {"who": who, "place": place, "job": job, "pet": pet})
             for who, place, job, pet in zip(people, places, jobs, pets) for kind in kinds]
    rng.shuffle(facts)
    passage = " ".join(rng.choice(FACTS[kind][0]).format(**values) for kind, values in facts)
    kind, values = rng.choice(facts)
    return rng.choice(FACTS[kind][1]).format(**values), passage, values[kind]


def main():
    rng = random.Random(1)
    here = pathlib.Path(__file__).parent / "data"
    here.mkdir(exist_ok=True)
    seen = set()
    for name, count in (("train", int(sys.argv[1]) if len(sys.argv) > 1 else 60000), ("valid", 1000)):
        rows = []
        while len(rows) < count:
            row = example(rng)
            if row[1] not in seen:
                seen.add(row[1])
                rows.append(row)
        for column, side in enumerate(("question", "passage", "answer")):
            (here / f"{name}.{side}").write_text("".join(row[column] + "\n" for row in rows))
        print(f"{name}: {count} questions")


if __name__ == "__main__":
    main()
