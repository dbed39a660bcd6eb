"""Digits and dashes as a shaky hand draws them."""
import math

# Points from (0, 0) at the top left to (1, 1), stroke after stroke.
GLYPHS = {
    "0": [[(.5, 0), (.15, .2), (.1, .6), (.35, 1), (.65, 1), (.9, .6), (.85, .2), (.5, 0)]],
    "1": [[(.25, .25), (.55, 0), (.55, 1)]],
    "2": [[(.15, .25), (.4, 0), (.8, .1), (.8, .35), (.1, 1), (.9, 1)]],
    "3": [[(.15, .1), (.5, 0), (.85, .2), (.45, .45), (.9, .7), (.6, 1), (.1, .9)]],
    "4": [[(.65, 1), (.65, 0), (.1, .7), (.9, .7)]],
    "5": [[(.85, 0), (.25, 0), (.2, .45), (.6, .4), (.9, .65), (.6, 1), (.1, .9)]],
    "6": [[(.75, .05), (.3, .4), (.15, .75), (.5, 1), (.85, .75), (.55, .5), (.2, .65)]],
    "7": [[(.1, 0), (.9, 0), (.4, 1)]],
    "8": [[(.5, .45), (.15, .25), (.5, 0), (.85, .25), (.5, .45), (.1, .75), (.5, 1), (.9, .75), (.5, .45)]],
    "9": [[(.8, .3), (.5, .5), (.15, .3), (.45, 0), (.8, .2), (.75, .7), (.5, 1)]],
    "-": [[(.2, .5), (.8, .5)]],
    "/": [[(.8, 0), (.2, 1)]],
    ".": [[(.45, .9), (.55, 1)]],
}


class Canvas:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.pixels = [0.0] * (width * height)

    def line(self, a, b, thick):
        (ax, ay), (bx, by) = a, b
        length = math.hypot(bx - ax, by - ay) ** 2 or 1e-9
        reach = thick + 1
        for y in range(max(0, int(min(ay, by) - reach)), min(self.height, int(max(ay, by) + reach) + 1)):
            for x in range(max(0, int(min(ax, bx) - reach)), min(self.width, int(max(ax, bx) + reach) + 1)):
                t = min(1, max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length))
                distance = math.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay))
                ink = min(1, max(0, thick + 0.5 - distance))
                self.pixels[y * self.width + x] = max(self.pixels[y * self.width + x], ink)

    def glyph(self, name, left, top, width, height, rng):
        """Turned, slanted and shaken a little."""
        turn, slant, thick = rng.gauss(0, 0.12), rng.gauss(0, 0.12), rng.uniform(0.5, 1.1)
        wide, tall = width * rng.uniform(0.75, 1), height * rng.uniform(0.8, 1)

        def place(point):
            x, y = point[0] - 0.5 + rng.gauss(0, 0.03), point[1] - 0.5 + rng.gauss(0, 0.03)
            x += slant * y
            x, y = x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)
            return left + width / 2 + x * wide, top + height / 2 + y * tall

        for stroke in GLYPHS[name]:
            points = [place(point) for point in stroke]
            for a, b in zip(points, points[1:]):
                self.line(a, b, thick)

    def pgm(self, rng):
        """With noise, as bytes of a PGM file."""
        grey = bytes(min(255, max(0, int(255 * p + rng.gauss(8, 8)))) for p in self.pixels)
        return b"P5\n%d %d\n255\n" % (self.width, self.height) + grey
