"""Sentences and the parts of speech of their words: data/{train,valid}.{words,tags}. Many words are nouns and verbs."""
import pathlib
import random

BOTH = ["watch", "play", "walk", "plan", "answer", "hope", "dream", "call", "park", "fish", "love", "paint"]
NOUNS = ["dog", "house", "garden", "letter", "teacher", "river", "song"]
VERBS = ["see", "bring", "forget", "write", "hear", "find"]
ADJECTIVES = ["old", "small", "green", "light", "clean"]  # the last two are verbs too
LIGHT = ["light", "clean"]
DETERMINERS, PRONOUNS = ["the", "a", "my", "this"], ["they", "we", "you", "I"]
MODALS, ADVERBS = ["can", "will", "must", "should"], ["often", "never", "soon", "always"]
PREPOSITIONS = ["in", "near", "before", "after"]


def noun_phrase(rng):
    phrase = [(rng.choice(DETERMINERS), "DET")]
    if rng.random() < 0.4:
        phrase.append((rng.choice(ADJECTIVES), "ADJ"))
    phrase.append((rng.choice(2 * BOTH + NOUNS), "NOUN"))
    if rng.random() < 0.2:
        phrase += [(rng.choice(PREPOSITIONS), "PREP"), *noun_phrase(rng)]
    return phrase


def sentence(rng):
    words = [(rng.choice(PRONOUNS), "PRON")] if rng.random() < 0.5 else noun_phrase(rng)
    if rng.random() < 0.5 or words[0][1] == "DET":
        words.append((rng.choice(MODALS), "MODAL"))
    if rng.random() < 0.4:
        words.append((rng.choice(ADVERBS), "ADV"))
    words += [(rng.choice(2 * BOTH + VERBS + LIGHT), "VERB"), *noun_phrase(rng), (".", "END")]
    return words


def main():
    rng = random.Random(1)
    folder = pathlib.Path(__file__).parent / "data"
    folder.mkdir(exist_ok=True)
    train = [sentence(rng) for _ in range(3000)]
    valid = [s for s in (sentence(rng) for _ in range(400)) if s not in train][:300]
    for name, sentences in (("train", train), ("valid", valid)):
        for side, column in (("words", 0), ("tags", 1)):
            lines = (" ".join(pair[column] for pair in s) for s in sentences)
            (folder / f"{name}.{side}").write_text("".join(f"{line}\n" for line in lines))
    counts = {}
    for word, tag in sum(train, []):
        counts.setdefault(word, {}).setdefault(tag, 0)
        counts[word][tag] += 1
    usual = [max(counts[word], key=counts[word].get) == tag for word, tag in sum(valid, [])]
    print(f"each word with its most frequent tag: {100 * sum(usual) / len(usual):.1f}% of data/valid.words are right")


if __name__ == "__main__":
    main()
