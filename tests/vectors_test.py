"""Models that read rows of numbers: pictures, recordings, tables, graphs; and that answer with numbers.
usage: vectors_test.py ATTUNE"""
import json
import math
import os
import random
import re
import shutil
import struct
import subprocess
import unittest
import wave
import zipfile
import zlib

from small_models import PROGRAM, ModelTest, lines, run

SMALL = ["--d-model", "16", "--heads", "2", "--feed-forward", "32", "--positions", "learned", "--cpu-threads", "1", "--seed", "3",
         "--lr-schedule", "constant", "--lr-warmup", "5u", "--learning-rate", "0.01", "--disp-freq", "1000u", "--dropout", "0"]


class Vectors(ModelTest):
    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def trained(self, name, *options):
        made = run("train", "--model", self.folder / name, "--source", "vectors", *SMALL, *options)
        self.assertEqual(made.returncode, 0, made.err)
        return made

    def pictures(self, name, count, seed):
        """Pictures of 8 x 8 pixels with a bar that stands or lies, and what it does in two languages."""
        rng = random.Random(seed)
        paths, kinds = [], []
        for i in range(count):
            stands, at = rng.random() < 0.5, rng.randrange(8)
            pixels = bytes(255 if (x if stands else y) == at else rng.randrange(40) for y in range(8) for x in range(8))
            paths.append(self.write(f"图/{name}-{i}.pgm", b"P5\n8 8\n255\n" + pixels))
            kinds.append("竖" if stands else "liegt")
        return self.write(name + ".txt", lines(paths)), self.write(name + ".kind", lines(kinds)), paths, kinds

    def test_pictures_have_a_class_and_a_text(self):
        train, valid = self.pictures("train", 200, 1), self.pictures("valid", 40, 2)
        files = ["-t", *train[:2], "--valid-sets", *valid[:2], "--patch", "4", "--after", "60u", "--valid-freq", "60u"]
        for name, kind, verb in (("class", ["--type", "bert", "--task", "classify", "--layers", "1"], "classify"),
                                 ("caption", ["--encoder-layers", "1", "--decoder-layers", "1", "--vocab-kind", "char"], "translate"),
                                 ("rnn", ["--type", "rnn", "--embedding", "16", "--hidden", "24", "--vocab-kind", "char"], "translate")):
            with self.subTest(name):
                small = SMALL if name != "rnn" else SMALL[8:]
                made = run("train", "--model", self.folder / name, "--source", "vectors", *small, *kind, *files)
                self.assertEqual(made.returncode, 0, made.err)
                self.assertIn("its rows have 16 numbers", made.err)
                answers = run(verb, "-m", self.folder / name, text=lines(valid[2]))
                self.assertEqual(answers.returncode, 0, answers.err)
                said = [line.split("\t")[0] for line in answers.out.splitlines()]
                self.assertGreater(sum(a == b for a, b in zip(said, valid[3])), 36)
        seen = run("attend", "-m", self.folder / "caption", "--format", "json", text=valid[2][0] + "\n")
        self.assertEqual(seen.returncode, 0, seen.err)
        self.assertIn('"1.1"', seen.out)
        refused = run("serve", "-m", "xx-yy=" + str(self.folder / "caption"), "--port", "0")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("reads files (pictures, recordings, tables), which a request may not name; use `attune translate`", refused.err)

    def test_series_are_continued(self):
        rng = random.Random(3)
        rows = ["date,α,β"] + [f"2026-01-{i},{math.sin(math.pi * i / 3) + 5},{2 * math.cos(math.pi * i / 3)}" for i in range(400)]
        table = self.write("series.csv", lines(rows))
        part = lambda i, n: f"{table}:{i}-{i + n}"
        starts = [rng.randrange(0, 350) for _ in range(200)]
        files = ["-t", self.write("s.from", lines(part(i, 12) for i in starts)), self.write("s.to", lines(part(i + 12, 6) for i in starts)),
                 "--valid-sets", self.write("v.from", lines([part(370, 12)])), self.write("v.to", lines([part(382, 6)]))]
        made = self.trained("series", "--type", "bert", "--task", "predict", "--layers", "1", "--transposed", "true", "--standardise",
                            "rows", *files, "--after", "400u", "--valid-freq", "400u", "--lr-schedule", "linear")
        self.assertRegex(made.err, r"mse [0-9.]+")
        answer = run("predict", "-m", self.folder / "series", text=part(370, 12) + "\n\n" + part(0, 12) + "\n")
        self.assertEqual(answer.returncode, 0, answer.err)
        tables = [[list(map(float, row.split("\t"))) for row in block.splitlines()] for block in re.split(r"\n{2,}", answer.out) if block.strip()]
        self.assertEqual([len(one) for one in tables], [6, 6])
        for i, (alpha, beta) in enumerate(tables[0]):
            self.assertAlmostEqual(alpha, math.sin(math.pi * (382 + i) / 3) + 5, delta=0.25)
            self.assertAlmostEqual(beta, 2 * math.cos(math.pi * (382 + i) / 3), delta=0.25)
        rows = json.loads(run("predict", "-m", self.folder / "series", "--json", text=part(370, 12) + "\n").out)["rows"]
        self.assertEqual([len(row) for row in rows], [2] * 6)
        for row, expected in zip(rows, tables[0]):
            for a, b in zip(row, expected):
                self.assertAlmostEqual(a, b, delta=1e-4 * max(1, abs(b)))
        for verb in ("translate", "score", "classify"):
            refused = run(verb, *(["--tsv"] if verb == "score" else []), "-m", self.folder / "series", text="a\tb\n")
            self.assertEqual(refused.returncode, 2, verb)
            self.assertIn("this model predicts numbers", refused.err)
        refused = run("predict", "-m", self.folder / "series", text="nowhere.csv\n")
        self.assertEqual((refused.returncode, refused.out), (2, ""))
        self.assertIn("line 1: nowhere.csv", refused.err)
        skipped = run("predict", "-m", self.folder / "series", "--on-error", "skip", text="nowhere.csv\n" + part(370, 12) + "\n")
        self.assertEqual((skipped.returncode, len(skipped.out.split())), (0, 12), skipped.err)
        self.assertIn("line 1: nowhere.csv", skipped.err)

    def test_nodes_of_a_graph_have_classes(self):
        # Two rings of nodes that know nothing but a hint of their class; neighbours help.
        rng = random.Random(4)
        count = 60
        classes = ["甲" if i < count // 2 else "乙" for i in range(count)]
        nodes = self.write("nodes.csv", lines(f"{(1 if c == '甲' else -1) + rng.gauss(0, 0.8)},{rng.gauss(0, 1)}" for c in classes))
        edges = self.write("edges.tsv", lines(f"{i}\t{i + 1 if (i + 1) % (count // 2) else i + 1 - count // 2}" for i in range(count)))
        known = [c if i % 3 == 0 else "_" for i, c in enumerate(classes)]
        hidden = [c if i % 3 else "_" for i, c in enumerate(classes)]
        graph = self.write("graph.txt", f"{nodes}|{edges}\n")
        made = self.trained("graph", "--type", "bert", "--task", "tag", "--layers", "3", "--visibility", "edges", "--positions", "none", "-t", graph,
                            self.write("train.tags", " ".join(known) + "\n"), "--valid-sets", graph,
                            self.write("valid.tags", " ".join(hidden) + "\n"), "--after", "40u", "--valid-freq", "40u")
        accuracy = float(re.search(r"best accuracy ([0-9.]+)", made.err)[1])
        self.assertGreater(accuracy, 80)
        answer = run("classify", "-m", self.folder / "graph", graph)
        self.assertEqual(answer.returncode, 0, answer.err)
        self.assertEqual(len(answer.out.split()), count)
        self.assertLessEqual(set(answer.out.split()), {"甲", "乙"})
        scored = run("score", "--tsv", "-m", self.folder / "graph", text=f"{nodes}|{edges}\t{' '.join(hidden)}\n")
        self.assertEqual(scored.returncode, 0, scored.err)

    def test_words_have_tags_although_tokens_are_parts_of_words(self):
        rng = random.Random(5)
        words = {"läuft": "V", "singt": "V", "Katze": "N", "Haus": "N", "schön": "A"}
        def text(n, seed):
            rng = random.Random(seed)
            rows = [[rng.choice(list(words)) for _ in range(rng.randint(1, 6))] for _ in range(n)]
            return lines(" ".join(row) for row in rows), lines(" ".join(words[w] for w in row) for row in rows)
        train, valid = text(200, 1), text(20, 2)
        made = run("train", "--model", self.folder / "tags", "--type", "bert", "--task", "tag", "--layers", "1", *SMALL, "--vocab-size", "280",
                   "--vocab-kind", "bpe", "-t", self.write("t.txt", train[0]), self.write("t.tag", train[1]), "--valid-sets",
                   self.write("v.txt", valid[0]), self.write("v.tag", valid[1]), "--after", "250u", "--valid-freq", "250u", "--valid-metrics", "entity_f1")
        self.assertEqual(made.returncode, 0, made.err)
        answer = run("classify", "-m", self.folder / "tags", text=valid[0])
        found, right = answer.out.splitlines(), valid[1].splitlines()
        self.assertEqual([len(tags.split()) for tags in found], [len(tags.split()) for tags in right], answer.err)
        same = [a == b for a, b in zip(answer.out.split(), valid[1].split())]
        self.assertGreater(sum(same), 0.9 * len(same))

    def test_questions_are_answered_with_a_part_of_the_text(self):
        rng = random.Random(7)
        def column(n, seed):
            rng = random.Random(seed)
            rows = []
            for _ in range(n):
                words = [rng.choice("鸟 singt auf dem Dach und schläft".split()) for _ in range(rng.randint(2, 7))]
                answer = rng.choice(["drei Äpfel", "zwei Birnen", "九 Äpfel"])
                words.insert(rng.randrange(len(words) + 1), answer)
                rows.append(("wie viele ?", " ".join(words), answer))
            return rows
        train, valid = column(300, 1), column(30, 2)
        files = lambda name, rows: [self.write(f"{name}.{i}", lines(row[i] for row in rows)) for i in range(3)]
        made = run("train", "--model", self.folder / "answers", "--type", "bert", "--task", "answer", "--layers", "1", *SMALL, "--vocab-kind", "word",
                   "-t", *files("train-q", train), "--valid-sets", *files("valid-q", valid), "--after", "150u", "--valid-freq", "150u")
        self.assertEqual(made.returncode, 0, made.err)
        answer = run("answer", "-m", self.folder / "answers", text=lines(f"{q}\t{p}" for q, p, _ in valid))
        self.assertEqual(answer.returncode, 0, answer.err)
        found = [line.split("\t")[0] for line in answer.out.splitlines()]
        self.assertGreater(sum(a == row[2] for a, row in zip(found, valid)), 27)
        first = json.loads(run("answer", "-m", self.folder / "answers", "--json", text="\t".join(valid[0][:2]) + "\n\n").out.splitlines()[0])
        self.assertEqual(valid[0][1].encode()[first["begin"]:].decode()[:len(first["answer"])], first["answer"])
        seen = json.loads(run("attend", "-m", self.folder / "answers", "--format", "json", text="\t".join(valid[0][:2]) + "\n").out)
        self.assertEqual(seen["encoder_tokens"], ["[CLS]", *valid[0][0].split(), "[SEP]", *valid[0][1].split(), "[SEP]"])
        self.assertEqual(seen["target"], found[0])
        refused = run("attend", "-m", self.folder / "answers", text="nur eine Frage ?\n")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("this model answers questions; write a question, a tab and a passage", refused.err)
        refused = run("answer", "-m", self.folder / "answers", text="nur eine Spalte\n")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("line 1: there are 1 columns; write a question, a tab and a passage", refused.err)
        refused = run("train", "--model", self.folder / "answers2", "--type", "bert", "--task", "answer", *SMALL, "--after", "1u", "-t",
                      *files("bad-q", [("wer ?", "der Vogel", "Katze")]))
        self.assertEqual(refused.returncode, 2)
        self.assertIn("line 1: the answer is not a part of the passage", refused.err)

    def test_recordings_are_read(self):
        def glide(name, rises, seconds):
            """A tone that rises or falls."""
            path = self.folder / name
            with wave.open(str(path), "wb") as file:
                file.setnchannels(1), file.setsampwidth(2), file.setframerate(8000)
                count = int(8000 * seconds)
                pitch = lambda i: 300 + 900 * (i if rises else count - i) / count
                file.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(2 * math.pi * pitch(i) * i / 8000)))
                                          for i in range(count)))
            return str(path)
        rng = random.Random(6)
        sounds = [(glide(f"{i}.wav", i % 2, 0.2 + 0.1 * rng.random()), "升" if i % 2 else "降") for i in range(40)]
        pair = [self.write("sound.txt", lines(s for s, _ in sounds)), self.write("sound.tag", lines(t for _, t in sounds))]
        made = self.trained("sound", "--type", "bert", "--task", "classify", "--layers", "1", "--mel-bands", "12", "--stacked", "2", "-t", *pair,
                            "--valid-sets", *pair, "--after", "40u", "--valid-freq", "40u")
        self.assertIn("its rows have 24 numbers", made.err)
        self.assertIn("accuracy 100", made.err)

    def test_a_question_and_a_picture_are_read_together(self):
        # Is the bar at the left or upper half? The question says which way counts; the picture has both bars.
        def made(name, count, seed):
            rng = random.Random(seed)
            columns = [[], [], []]
            for i in range(count):
                x, y = rng.choice((1, 6)), rng.choice((1, 6))
                pixels = bytes(255 if at == x or line == y else rng.randrange(40) for line in range(8) for at in range(8))
                asks = rng.choice(("左 ?", "oben ?"))
                columns[0].append(asks)
                columns[1].append(self.write(f"{name}图/{i}.pgm", b"P5\n8 8\n255\n" + pixels))
                columns[2].append("ja" if (x if asks == "左 ?" else y) == 1 else "nein")
            files = [self.write(f"{name}.{i}", lines(column)) for i, column in enumerate(columns)]
            return files, columns
        (train, _), (valid, columns) = made("t", 300, 1), made("v", 40, 2)
        options = ["--source", "text", "vectors", "--patch", "4", "--places", "grid", "--encoder-layers", "1", "--decoder-layers", "1", "--vocab-kind",
                   "word", "-t", *train, "--valid-sets", *valid, "--after", "150u", "--valid-freq", "150u", "-m", str(self.folder / "ask")]
        small = [*SMALL[:6], *SMALL[8:]]
        checked = run("check", *small, *options, "--seconds", "0")
        self.assertEqual(checked.returncode, 0, checked.out + checked.err)
        trained = run("train", *small, *options)
        self.assertEqual(trained.returncode, 0, trained.err)
        self.assertIn("the first 2 columns are sources", trained.err)
        questions = [f"{q}\t{p}" for q, p, _ in zip(*columns)]
        answers = run("translate", "-m", self.folder / "ask", "-b", "2", text=lines(questions))
        self.assertEqual(answers.returncode, 0, answers.err)
        right = sum(a == b for a, b in zip(answers.out.splitlines(), columns[2]))
        self.assertGreater(right, 34)
        seen = json.loads(run("attend", "-m", self.folder / "ask", "--format", "json", text=questions[0] + "\n").out)
        self.assertEqual(seen["encoder_tokens"][-4:], ["0.0", "0.1", "1.0", "1.1"])
        self.assertEqual([(scene["kind"], scene["count"]) for scene in seen["scenes"]], [("picture", 4)])
        forced = json.loads(run("attend", "-m", self.folder / "ask", "--format", "json", text=questions[0] + "\tnein\n").out)
        self.assertEqual((forced["target"], forced["forced"]), ("nein", True))
        drawn = run("attend", "-m", self.folder / "ask", "--format", "svg", text=questions[0] + "\n").out
        self.assertIn("data:image/png;base64,", drawn)
        refused = run("translate", "-m", self.folder / "ask", text="左 ?\n")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("the model reads 2 sources with tabs between them, but there is one in '左 ?'", refused.err)
        # Sources of different counts.
        short = self.write("short.1", lines(columns[1][:-1]))
        for verb in ("check", "train"):
            result = run(verb, *small, *options, "-t", valid[0], short, valid[2], "--valid-sets", *valid, "-m", self.folder / "short")
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("short.1", result.out + result.err)
            self.assertRegex(result.out + result.err, r"short\.1 has 39;|has 39 lines")
        wrong = self.write("wrong.1", lines(["nirgends.pgm", *columns[1][1:]]))
        for verb in ("check", "train"):
            result = run(verb, *small, *options, "-t", valid[0], valid[1], valid[2], valid[0], wrong, valid[2], "-m", self.folder / "wrong")
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("nirgends.pgm", result.out + result.err)
            where = r"v\.0:1\b" if verb == "check" else r"line 341: nirgends\.pgm"  # after 300 and 40 others
            self.assertRegex(result.out + result.err, where)

    def test_times_are_places(self):
        rows = ["date,α"] + [f"2026-01-{1 + i // 24:02}T{i % 24:02}:00,{math.sin(i / 3):.3f}" for i in range(0, 400, 3)]
        table = self.write("times.csv", lines(rows))
        files = [self.write("times.from", lines(f"{table}:{i}-{i + 6}" for i in range(40))),
                 self.write("times.kind", lines("hoch" if math.sin((3 * i + 15) / 3) > 0 else "tief" for i in range(40)))]
        for positions in ("sinusoidal", "learned"):
            made = self.trained("times-" + positions, "--type", "bert", "--task", "classify", "--layers", "1", *SMALL, "--positions", positions,
                                "--places", "time", "-t", *files, "--valid-sets", *files, "--after", "30u", "--valid-freq", "30u")
            self.assertIn("its rows have 1 numbers", made.err)
            drawn = run("attend", "-m", self.folder / ("times-" + positions), "--format", "svg", text=f"{table}:0-6\n")
            self.assertIn("<polyline", drawn.out)
        wrong = self.write("wrong.csv", "date,α\n2026-01-01,1\nmorgen,2\n")
        refused = run("train", "--model", self.folder / "wrong-times", "--source", "vectors", "--places", "time", "--type", "bert", "--task", "classify",
                      "-t", self.write("w.from", wrong + "\n"), self.write("w.kind", "a\n"), *SMALL, "--after", "1u")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("wrong.csv:3: 'morgen' is not a time; write a number, or a date such as 2016-07-01 12:00", refused.err)

    def test_samples_stay_in_their_files_until_they_are_read(self):
        # Each set of samples has far more numbers than the program may take memory for.
        width, block = 16, 64
        def sparse(name, head, numbers, tail=b""):
            path = self.folder / name
            with path.open("wb") as file:
                file.write(head)
                file.seek(len(head) + numbers)
                file.write(tail)
                file.truncate()
            return str(path)
        def npy(samples, order="False"):
            head = f"{{'descr': '<f4', 'fortran_order': {order}, 'shape': ({samples}, {block}, {width}), }}\n".encode()
            return b"\x93NUMPY\x01\0" + struct.pack("<H", len(head)) + head
        def stored(name, head, numbers):
            crc, zeros = zlib.crc32(head), bytes(1 << 20)
            for _ in range(numbers >> 20):
                crc = zlib.crc32(zeros, crc)
            common = struct.pack("<HHHIIIIHH", 20, 0, 0, 0, crc, len(head) + numbers, len(head) + numbers, 5, 0)
            local = b"PK\3\4" + common + b"a.npy" + head
            entry = b"PK\1\2" + struct.pack("<H", 20) + common + bytes(14) + b"a.npy"
            return sparse(name, local, numbers, entry + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(local) + numbers, 0))
        def deflated(name, head, numbers):
            with zipfile.ZipFile(self.folder / name, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file, file.open("a.npy", "w") as array:
                array.write(head)
                for _ in range(numbers >> 20):
                    array.write(bytes(1 << 20))
            return str(self.folder / name)
        def arrays(path, samples):
            return [f"{path}:{i}" for i in (0, 1, samples // 2, samples - 1)]
        def safetensors(samples):
            head = json.dumps({"α": {"dtype": "F32", "shape": [samples, block, width], "data_offsets": [0, samples * block * width * 4]}}).encode()
            return struct.pack("<Q", len(head)) + head
        def table(name, megabytes):
            rows = ("0,1,-1,2.5," * (width // 4)).rstrip(",") + "\n"
            piece = (rows * ((1 << 20) // len(rows) + 1)).encode()
            with (self.folder / name).open("wb") as file:
                for _ in range(megabytes):
                    file.write(piece)
            count = megabytes * (piece.count(b"\n"))
            return [f"{self.folder / name}:{i}-{i + block}" for i in (0, count // 2, count - block)]
        def copies(name, content, count):
            self.write(name, content)
            links = [self.folder / f"{i}-{name}" for i in range(count)]
            for link in links:
                link.symlink_to(name)
            return [str(link) for link in links]
        def recording(seconds):
            samples = bytes(2 * 8000 * seconds)
            head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(samples), b"WAVE", b"fmt ", 16, 1, 1, 8000, 16000, 2, 16, b"data", len(samples))
            return head + samples
        def peak(name, samples, *options):
            """Megabytes that training takes at most."""
            files = [self.write(name + ".txt", lines(samples)), self.write(name + ".kind", lines("ab"[i % 2] for i in range(len(samples))))]
            command = ["train", "--model", self.folder / name, "--source", "vectors", *SMALL, "--type", "bert", "--task", "classify", "--layers", "1",
                       "--mini-batch-words", "200", "--after", "1e", *options, "-t", *files]
            with (self.folder / "err").open("w+") as err:
                process = subprocess.Popen([str(word) for word in (PROGRAM, *command)], stdout=err, stderr=err)
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                err.seek(0)
                self.assertEqual(process.returncode, 0, err.read())
            return used.ru_maxrss / 1024
        sample = block * width * 4
        few, many, megabytes = 8, (1 << 31) // sample, 128
        some = (megabytes << 20) // sample
        picture, sound = ["--patch", "64"], ["--mel-bands", "256", "--stacked", "50"]
        grey = b"P5\n1024 256\n255\n" + bytes(1024 * 256)
        least = {"": peak("least", arrays(sparse("few.npy", npy(few), few * sample), few)),
                 "picture": peak("a-picture", copies("one.pgm", grey, 2), *picture), "sound": peak("a-sound", copies("one.wav", recording(8), 2), *sound)}
        for name, kind, *use in (("npy", "", arrays(sparse("many.npy", npy(many), many * sample), many)),
                                 ("columns", "", arrays(sparse("columns.npy", npy(many, "True"), many * sample), many)),
                                 ("stored", "", arrays(stored("some.npz", npy(some), some * sample), some)),
                                 ("deflated", "", arrays(deflated("packed.npz", npy(some), some * sample), some)),
                                 ("safetensors", "", arrays(sparse("many.safetensors", safetensors(many), many * sample), many)),
                                 ("text", "", table("many.csv", megabytes)),
                                 ("pictures", "picture", copies("p.pgm", grey, 100), *picture),
                                 ("sounds", "sound", copies("s.wav", recording(8), 60), *sound)):
            with self.subTest(name):
                self.assertLess(peak(name, *use), least[kind] + 32)

    def test_bad_samples_are_found_by_check_and_refused_by_training(self):
        good, ragged = self.write("good.csv", "1,2\n3,4\n"), self.write("ragged.csv", "1,2\n3\n")
        nan, wide = self.write("nan.csv", "1,2\nnan,4\n"), self.write("wide.csv", "1,2,3\n")
        picture = self.write("cut.png", b"\x89PNG\r\n\x1a\n\0\0\0")
        labels = self.write("two.kind", "a\nb\n")
        for bad, message in ((ragged, "ragged.csv:2: there are 1 columns, but 2 in the rows before"),
                             (nan, "nan.csv:2: 'nan' is not a finite number"),
                             (wide, "wide.csv: its rows have 3 numbers, but those of other samples have 2"),
                             (f"{good}|{self.write('nowhere.csv', '0,1' + chr(10) + '0,7' + chr(10))}",
                              "nowhere.csv: edge 2 leads to 7, but rows from 0 to 1 are possible"),
                             (picture, "cut.png: "), (str(self.folder / "none.csv"), "none.csv")):
            first = f"{good}|{self.write('here.csv', '0,1' + chr(10))}" if "|" in bad else good
            source = self.write("two.txt", lines([first, bad]))
            options = ["--type", "bert", "--task", "classify", "--layers", "1", *SMALL, "--source", "vectors", "-t", source, labels, "--after", "2u",
                       "-m", str(self.folder / "bad")]
            with self.subTest(message):
                shutil.rmtree(self.folder / "bad", ignore_errors=True)
                for verb in ("check", "train"):
                    result = run(verb, *options)
                    self.assertNotEqual(result.returncode, 0)
                    self.assertIn(message, result.out + result.err)
                    self.assertIn("line 2" if verb == "train" else "two.txt:2", result.out + result.err)
        refused = run("train", "--type", "gpt", "--source", "vectors", "-t", labels, "-m", self.folder / "bad", "--after", "1u")
        self.assertEqual(refused.returncode, 2)


if __name__ == "__main__":
    unittest.main()
