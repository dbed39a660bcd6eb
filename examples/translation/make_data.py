"""Numbers in words, English and German: data/{train,valid}.{en,de}."""
import pathlib
import random

ONES = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
EINER = ["", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf",
         "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"]
ZEHNER = ["", "", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"]


def english(n):
    if n >= 1000:
        rest = n % 1000
        return f"{english(n // 1000)} thousand" + (" and " if 0 < rest < 100 else " " if rest else "") + english(rest)
    if n >= 100:
        return f"{ONES[n // 100]} hundred" + (f" and {english(n % 100)}" if n % 100 else "")
    return ONES[n] if n < 20 else TENS[n // 10] + (f"-{ONES[n % 10]}" if n % 10 else "")


def german(n, end="eins"):
    """The units come before the tens: 42 is two-and-forty."""
    if n >= 1000:
        return german(n // 1000, "ein") + "tausend" + german(n % 1000)
    if n >= 100:
        return EINER[n // 100] + "hundert" + german(n % 100)
    if n < 20:
        return end if n == 1 else EINER[n]
    return (f"{EINER[n % 10]}und" if n % 10 else "") + ZEHNER[n // 10]


def main():
    rng = random.Random(1)
    numbers = set()
    while len(numbers) < 4200:
        numbers.add(rng.randrange(1, 10 ** rng.randint(1, 6)))
    numbers = rng.sample(sorted(numbers), len(numbers))
    folder = pathlib.Path(__file__).parent / "data"
    folder.mkdir(exist_ok=True)
    for name, part in (("train", numbers[200:]), ("valid", numbers[:200])):
        for side, words in (("en", english), ("de", german)):
            (folder / f"{name}.{side}").write_text("".join(f"{words(n)}\n" for n in part), encoding="utf-8")


if __name__ == "__main__":
    main()
