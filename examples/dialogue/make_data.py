"""Questions about a small world, in English and Chinese: data/{train,valid}.{prompt,answer}.

Each of 24 people has a home, an animal and a favourite food. Every fact can be asked for in several ways; of all
questions one in eight is held out, so the model has met the fact, but not the question."""
import pathlib
import random

PEOPLE = [
    ("Anna", "安娜"), ("Ben", "小本"), ("Mei", "小梅"), ("Tom", "汤姆"), ("Lin", "小林"), ("Zoe", "佐伊"),
    ("Wang", "老王"), ("Eva", "伊娃"), ("Leo", "里奥"), ("Nora", "诺拉"), ("Hao", "小浩"), ("Ivan", "伊万"),
    ("Lucy", "露西"), ("Max", "马克斯"), ("Jing", "小静"), ("Oscar", "奥斯卡"), ("Rosa", "罗莎"), ("Paul", "保罗"),
    ("Chen", "小陈"), ("Vera", "薇拉"), ("Hugo", "雨果"), ("Ling", "小玲"), ("Kate", "凯特"), ("Omar", "奥马尔"),
]
CITIES = [
    ("Berlin", "柏林"), ("Beijing", "北京"), ("Paris", "巴黎"), ("Rome", "罗马"),
    ("Oslo", "奥斯陆"), ("Wuhan", "武汉"), ("Tokyo", "东京"), ("Cairo", "开罗"),
]
ANIMALS = [
    ("a cat", "一只猫"), ("a dog", "一条狗"), ("a parrot", "一只鹦鹉"),
    ("a horse", "一匹马"), ("two fish", "两条鱼"), ("a rabbit", "一只兔子"),
]
FOOD = [
    ("tea", "茶"), ("rice", "米饭"), ("soup", "汤"),
    ("bread", "面包"), ("noodles", "面条"), ("apples", "苹果"),
]

# What there is, how it is asked for and what is answered; in English and in Chinese.
THEMES = [
    (CITIES, [
        (["Where does {p} live?",
          "Which city does {p} live in?",
          "Can you tell me where {p} lives?",
          "Hello! Where is the home of {p}?"],
         "{p} lives in {x}."),
        (["{p}住在哪里？",
          "{p}住在哪个城市？",
          "请问{p}住在哪儿？",
          "你好！{p}的家在哪里？"],
         "{p}住在{x}。"),
    ]),
    (ANIMALS, [
        (["Which animal does {p} have?",
          "What pet does {p} keep?",
          "Do you know the pet of {p}?",
          "Hello! Does {p} have an animal?"],
         "{p} has {x}."),
        (["{p}养了什么动物？",
          "{p}有什么宠物？",
          "你知道{p}养了什么吗？",
          "你好！{p}有动物吗？"],
         "{p}养了{x}。"),
    ]),
    (FOOD, [
        (["What does {p} like to eat?",
          "What is the favourite food of {p}?",
          "What should I cook for {p}?",
          "Hello! What does {p} like?"],
         "{p} likes {x}."),
        (["{p}喜欢吃什么？",
          "{p}最爱吃什么？",
          "我该给{p}做什么吃？",
          "你好！{p}喜欢什么？"],
         "{p}喜欢{x}。"),
    ]),
]


def main():
    rng = random.Random(1)
    pairs = []
    for person in PEOPLE:
        for things, languages in THEMES:
            thing = rng.choice(things)
            for language, (questions, answer) in enumerate(languages):
                words = {"p": person[language], "x": thing[language]}
                pairs += [(question.format(**words), answer.format(**words)) for question in questions]
    rng.shuffle(pairs)
    held_out = len(pairs) // 8
    folder = pathlib.Path(__file__).parent / "data"
    folder.mkdir(exist_ok=True)
    for name, part in (("train", pairs[held_out:]), ("valid", pairs[:held_out])):
        for side, column in (("prompt", 0), ("answer", 1)):
            (folder / f"{name}.{side}").write_text("".join(f"{pair[column]}\n" for pair in part), encoding="utf-8")


if __name__ == "__main__":
    main()
