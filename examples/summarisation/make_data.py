"""Reports of matches and their headlines: data/{train,valid}.{report,headline}."""
import pathlib
import random

TEAMS = ["Rovers", "United", "Albion", "Wanderers", "City", "Athletic", "Rangers", "Harriers", "Orient", "Thistle"]
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
PLAYERS = ["Smith", "Okoro", "Lindqvist", "Tanaka", "Moreau", "Kowalski", "Li", "Santos", "Weber", "Rossi"]
WEATHER = ["in heavy rain", "under a bright sun", "in thick fog", "on a windy afternoon", "on a cold evening",
           "under floodlights"]
OPENING = ["On {day} {home} met {away} {weather} in front of {crowd} spectators.",
           "{crowd} spectators came on {day} to see {home} play {away} {weather}.",
           "{weather_} {home} and {away} played on {day}; {crowd} people watched."]
SCORED = ["{player} scored for {team} after {minute} minutes.", "After {minute} minutes {player} gave {team} a goal.",
          "{team} found the net through {player} after {minute} minutes."]
QUIET = ["The goalkeepers had little to do before the break.", "Both sides were tired at the end.",
         "A dog ran across the pitch and was carried away.", "The referee showed four yellow cards."]
CLOSING = ["It ended {a} to {b}.", "The final score was {a} to {b}.", "When the whistle blew it was {a} to {b}."]


def match(rng):
    home, away = rng.sample(TEAMS, 2)
    a, b = rng.randint(0, 3), rng.randint(0, 3)
    weather = rng.choice(WEATHER)
    facts = {"day": rng.choice(DAYS), "home": home, "away": away, "crowd": f"{rng.randint(2, 60)},000", "weather": weather,
             "weather_": weather.capitalize()}
    middle = sorted((rng.randint(1, 90), team) for team, goals in ((home, a), (away, b)) for _ in range(goals))
    middle = [rng.choice(SCORED).format(player=rng.choice(PLAYERS), team=team, minute=minute) for minute, team in middle]
    middle.insert(rng.randint(0, len(middle)), rng.choice(QUIET))
    report = [rng.choice(OPENING).format(**facts), *middle, rng.choice(CLOSING).format(a=a, b=b)]
    headline = (f"{home} beat {away} {a}-{b}" if a > b else f"{home} lose to {away} {a}-{b}" if a < b
                else f"{home} and {away} draw {a}-{b}")
    return " ".join(report), headline


def main():
    rng = random.Random(1)
    pairs = [match(rng) for _ in range(3200)]
    folder = pathlib.Path(__file__).parent / "data"
    folder.mkdir(exist_ok=True)
    for name, part in (("train", pairs[200:]), ("valid", pairs[:200])):
        for side, column in (("report", 0), ("headline", 1)):
            (folder / f"{name}.{side}").write_text("".join(f"{pair[column]}\n" for pair in part))


if __name__ == "__main__":
    main()
