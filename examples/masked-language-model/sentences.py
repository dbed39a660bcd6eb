"""Sentences of four topics, each with words of its own. Which words go together shows in the sentences alone."""
TOPICS = {
    "cooking": {
        "who": "cook baker waiter guest butcher".split(),
        "thing": "soup dough sauce onion roast cake".split(),
        "do": "stirs tastes bakes salts chops serves".split(),
        "where": "kitchen oven pan cellar bakery".split(),
        "how": "spicy sweet burnt crisp raw".split(),
    },
    "music": {
        "who": "singer pianist drummer conductor composer".split(),
        "thing": "song melody sonata chord waltz hymn".split(),
        "do": "hums rehearses plays composes records conducts".split(),
        "where": "concert choir studio opera orchestra".split(),
        "how": "loud slow solemn cheerful hoarse".split(),
    },
    "sea": {
        "who": "captain sailor diver fisherman pilot".split(),
        "thing": "sail anchor net rope rudder boat".split(),
        "do": "hoists lowers repairs steers casts moors".split(),
        "where": "harbour deck bay lighthouse reef".split(),
        "how": "stormy salty deep calm foggy".split(),
    },
    "school": {
        "who": "teacher pupil student professor tutor".split(),
        "thing": "essay poem lesson exam theorem dictionary".split(),
        "do": "explains studies corrects copies memorises proves".split(),
        "where": "classroom library lecture seminar laboratory".split(),
        "how": "difficult learned long diligent strict".split(),
    },
}
FORMS = ["the {who} {do} the {thing}", "the {how} {who} {do} a {thing}", "a {who} from the {where} {do} the {how} {thing}",
         "in the {where} the {who} {do} a {how} {thing}", "the {thing} was {how} , said the {who}",
         "nobody in the {where} liked the {thing} , but the {who} {do} it", "there is a {how} {thing} in the {where}"]


def sentence(rng, topic, share=1.0):
    """`share`: of each list of words the first part alone is used."""
    words = {kind: rng.choice(listed[:max(1, round(share * len(listed)))]) for kind, listed in TOPICS[topic].items()}
    return rng.choice(FORMS).format(**words)


def new_sentence(rng, topic, known):
    """One that is not among those."""
    while True:
        line = sentence(rng, topic)
        if line not in known:
            return line
