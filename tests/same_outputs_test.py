"""The same bytes whatever is translated together, in whatever order, by however many threads.
usage: same_outputs_test.py ATTUNE"""
import random
import unittest

from small_models import ModelTest, lines, sentences

WAYS = (["--cpu-threads", "2"], ["--cpu-threads", "3", "--mini-batch-words", "37"],
        ["--cpu-threads", "1", "--mini-batch-words", "100000"], ["--cpu-threads", "2", "--mini-batch-words", "1"])


class SameOutputs(ModelTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.train_reversers()
        cls.texts = sentences(11, 1000)

    def test_translations_and_their_scores(self):
        for model in (self.rnn, self.transformer):
            def written(order, *options):
                text = lines(self.texts[i] for i in order)
                out = self.done("translate", "-m", model, "--word-scores", "--beam-size", "2", *options, text=text)
                return [line for _, line in sorted(zip(order, out.splitlines()))]

            order = list(range(1000))
            expected = written(order, "--cpu-threads", "1")
            self.assertEqual(len(set(expected)), len(set(self.texts)))
            for number, options in enumerate(WAYS):
                self.assertEqual(written(order, *options), expected, options)
                random.Random(number).shuffle(order)

    def test_scores_of_given_pairs(self):
        pairs = [f"{text}\t{text[::-1]}" for text in self.texts]
        for model in (self.rnn, self.transformer):
            def written(texts, *options):
                return self.done("score", "-m", model, "--tsv", "--json", *options, text=lines(texts)).splitlines()

            scores = lambda out: [line.split(",", 1)[1] for line in out]
            expected = scores(written(pairs, "--cpu-threads", "1"))
            for options in WAYS:
                self.assertEqual(scores(written(pairs, *options)), expected, options)
            self.assertEqual(scores(written(pairs[::-1]))[::-1], expected)


if __name__ == "__main__":
    unittest.main()
