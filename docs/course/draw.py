"""Draws the diagrams of the course: pictures/NAME.svg and, with Chinese words, pictures/NAME.zh-CN.svg.

usage: draw.py"""
import math
import pathlib

from svg import Sheet

PICTURES = pathlib.Path(__file__).resolve().parent / "pictures"


def rnn(language):
    s = Sheet(760, 300, ("A recurrent network, and the way back of its gradient", "循环网络，以及梯度往回走的路"), language)
    s.text(110, 24, ("the network", "网络本身"), "quiet")
    s.box(110, 220, 56, 34, "x_t"), s.box(110, 140, 56, 40, "h_t"), s.box(110, 64, 56, 34, "y_t")
    s.line([(110, 203), (110, 161)]), s.line([(110, 120), (110, 82)])
    s.line([(138, 140), (176, 140), (176, 180), (124, 180), (124, 161)])
    s.text(93, 182, "U", "quiet"), s.text(93, 102, "V", "quiet"), s.text(188, 160, "W", "quiet")
    s.text(490, 24, ("the same network, unrolled over time", "同一个网络，沿时间展开"), "quiet")
    for t in range(5):
        x = 270 + 110 * t
        s.box(x, 220, 56, 34, f"x_{t + 1}"), s.box(x, 140, 56, 40, f"h_{t + 1}")
        s.line([(x, 203), (x, 161)])
        if t < 4:
            s.line([(x + 28, 132), (x + 82, 132)])
            s.line([(x + 82, 149), (x + 28, 149)], "hot", 0.8 + 0.9 * t, 0.35 + 0.16 * t)
            s.text(x + 55, 118, "W", "quiet small")
    s.box(710, 64, 56, 34, "y_5"), s.line([(710, 120), (710, 82)])
    s.text(490, 272, ("forwards: h_t = tanh(U x_t + W h_{t-1})", "向前：h_t = tanh(U x_t + W h_{t-1})"))
    s.text(530, 72, ("backwards: one factor for every step", "向后：每一步乘一个因子"), "hot")
    return s


def bottleneck(language):
    s = Sheet(760, 250, ("Encoder, one vector, decoder", "编码器、一个向量、解码器"), language)
    source, target = ("this is a long date", "这 是 一个 很长的 日期"), ("2 0 2 6 …", "2 0 2 6 …")
    for t, word in enumerate(s.say(source).split(" ")):
        x = 50 + 64 * t
        s.box(x, 110, 44, 34, f"h_{t + 1}"), s.text(x, 180, word), s.line([(x, 168), (x, 128)])
        if t:
            s.line([(x - 42, 110), (x - 22, 110)])
    s.line([(328, 110), (356, 110)], "hot", 2.5)
    s.box(382, 110, 50, 34, "c", "", "bold hot")
    s.line([(407, 110), (436, 110)], "hot", 2.5)
    for t, word in enumerate(s.say(target).split(" ")):
        x = 460 + 64 * t
        s.box(x, 110, 44, 34, f"s_{t + 1}"), s.text(x, 40, word), s.line([(x, 92), (x, 54)])
        if t < 4:
            s.line([(x + 22, 110), (x + 42, 110)])
    s.text(178, 222, ("encoder: reads everything", "编码器：读完全部"), "quiet")
    s.text(382, 62, ("all that the decoder\never knows", "解码器能知道的\n全部"), "hot small")
    s.text(588, 180, ("decoder: writes from c alone", "解码器：只凭 c 来写"), "quiet")
    return s


def bahdanau(language):
    s = Sheet(760, 330, ("Bahdanau's attention, one step of the decoder", "Bahdanau 注意力：解码器的一步"), language)
    weights = [0.05, 0.75, 0.15, 0.05]
    for j, word in enumerate("十 一 月 ⏎".split()):
        x = 70 + 110 * j
        s.text(x, 306, word), s.line([(x, 292), (x, 270)])
        s.box(x, 250, 84, 36, f"h_{j + 1}")
        if j:
            s.line([(x - 68, 244), (x - 42, 244)]), s.line([(x - 42, 257), (x - 68, 257)])
        s.line([(x, 231), (235, 150)], "hot", 0.8 + 6 * weights[j], 0.5 + 0.5 * weights[j])
        s.text(x + (0 if j > 1 else -10) - 40 * (j == 3), 196, f"{weights[j]:.2f}", "hot small")
    s.box(235, 130, 74, 38, "c_i", "", "bold hot")
    s.text(116, 128, ("Σ_j α_{ij} h_j", "Σ_j α_{ij} h_j"), "hot")
    s.box(520, 130, 74, 38, "s_{i-1}"), s.box(670, 130, 74, 38, "s_i")
    s.line([(557, 130), (632, 130)])
    s.line([(235, 110), (235, 66), (670, 66), (670, 110)], "hot", 2)
    s.text(720, 36, "1", "bold"), s.line([(690, 112), (714, 48)])
    s.text(640, 36, "y_i", "quiet")
    s.line([(520, 150), (520, 200), (444, 240)], "cool dashed"), s.line([(500, 150), (345, 236)], "cool dashed")
    s.text(618, 262, ("score: v^T tanh(W s_{i-1} + U h_j)", "打分：v^T tanh(W s_{i-1} + U h_j)"), "cool")
    s.text(618, 288, ("then softmax over j", "再对 j 做 softmax"), "cool")
    s.text(452, 52, ("the context enters the next state", "上下文进入下一个状态"), "hot small")
    return s


def query_key_value(language):
    s = Sheet(760, 320, ("Query, key and value", "查询、键和值"), language)
    s.box(70, 150, 96, 44, "q", "", "cool bold"), s.text(70, 112, ("what is wanted", "想要什么"), "cool small")
    for j, (weight, y) in enumerate(zip((0.1, 0.7, 0.2), (60, 150, 240))):
        s.line([(118, 150), (222, y)], "cool", 1.2)
        s.box(262, y, 80, 44, f"k_{j + 1}"), s.text(350, y - 14, f"e_{j + 1}", "quiet small")
        s.line([(302, y), (398, y)]), s.text(436, y, f"α_{j + 1} = {weight}", "hot")
        s.box(546, y, 80, 44, f"v_{j + 1}"), s.line([(474, y), (506, y)], "hot", 1 + 5 * weight)
        s.line([(586, y), (650, 150 + (y - 150) * 0.15)], "hot", 1 + 5 * weight)
    s.box(690, 150, 80, 44, "Σ α_j v_j", "", "hot")
    s.text(166, 282, ("score(q, k_j)", "打分 score(q, k_j)"), "cool")
    s.text(436, 282, ("softmax: shares of 1", "softmax：总和为 1"), "hot")
    s.text(640, 282, ("mix the values", "按权重混合各个值"), "hot")
    s.text(262, 18, ("keys: what to be found by", "键：凭什么被找到"), "quiet small")
    s.text(546, 18, ("values: what is handed over", "值：交出去的内容"), "quiet small")
    return s


def matrix(s, x, y, rows, columns, name, style, size=16, share=lambda i, j: 0.35):
    for i in range(rows):
        for j in range(columns):
            s.cell(x + j * size, y + i * size, size, share(i, j), style)
    s.text(x + columns * size / 2, y - 14, name, style)


def self_attention(language):
    s = Sheet(760, 330, ("Self-attention with two heads", "两个头的自注意力"), language)
    matrix(s, 20, 140, 3, 4, "X", "violet")
    for word, y in zip("我爱你", (148, 164, 180)):
        s.text(8, y, word, "small")
    for head, top in enumerate((40, 210)):
        for number, (name, style) in enumerate((("Q", "cool"), ("K", "green"), ("V", "hot"))):
            matrix(s, 150 + 74 * number, top - 6, 3, 2, f"{name}_{head + 1}", style)
        s.line([(92, 162), (140, top + 20)])
        weight = (lambda i, j: (0.8 if i == j else 0.15)) if head == 0 else (lambda i, j: (0.8 if j == (i + 1) % 3 else 0.15))
        s.line([(340, top + 18), (392, top + 18)])
        matrix(s, 400, top - 6, 3, 3, f"A_{head + 1}", "cool", share=weight)
        s.text(366, top + 2, "softmax", "small quiet")
        s.line([(456, top + 18), (504, top + 18)]), s.text(480, top + 2, f"A_{head + 1} V_{head + 1}", "small quiet")
        matrix(s, 512, top - 6, 3, 2, f"Z_{head + 1}", "hot")
        s.line([(552, top + 18), (592, 162)])
    matrix(s, 600, 140, 3, 4, "[Z_1; Z_2]", "hot"), s.line([(670, 164), (686, 164)]), s.text(680, 214, "W^O", "quiet")
    matrix(s, 690, 140, 3, 4, ("out", "输出"), "violet")
    s.text(222, 110, ("three projections a head", "每个头三个投影"), "small quiet")
    s.text(424, 120, ("3 × 3 weights:\nwho looks at whom", "3 × 3 个权重：\n谁看谁"), "small quiet")
    s.text(380, 306, "A = softmax(Q K^T / √d_k)")
    return s


def positions(language):
    s = Sheet(760, 300, ("Positions are added to word vectors", "位置加到词向量上"), language)
    d, size = 24, 9
    for n, word in enumerate("我爱你"):
        y = 60 + 34 * n
        s.text(20, y + 5, word)
        for i in range(d):
            s.cell(36 + i * size, y, size, 0.15 + 0.5 * abs(math.sin(7.3 * (n + 1) * (i + 1))), "violet")
            angle = n / 10000 ** (2 * (i // 2) / d)
            wave = math.cos(angle) if i % 2 else math.sin(angle)
            s.cell(296 + i * size, y, size, 0.08 + 0.9 * abs(wave), "hot" if wave > 0 else "cool")
        s.text(272, y + 5, "+"), s.text(532, y + 5, f"= x_{n + 1}", "left")
    s.text(144, 36, ("word vectors: a set", "词向量：一个集合"), "violet")
    s.text(404, 36, ("position vectors: the order", "位置向量：顺序"), "hot")
    s.text(640, 76, ("我爱你 ≠ 你爱我", "我爱你 ≠ 你爱我"), "bold")
    s.text(640, 112, ("without them both\nare the same three words", "没有位置，\n两句就是同样的三个词"), "small quiet")
    for k, (style, period) in enumerate((("hot", 12), ("green", 40), ("cool", 130))):
        points = [(60 + 12 * p, 226 - 34 * math.sin(2 * math.pi * p / period)) for p in [q / 4 for q in range(0, 201)]]
        s.curve(points, style)
    s.text(360, 282, ("position 0 … 50: each dimension is a wave, from fast to slow", "位置 0 … 50：每一维是一条波，由快到慢"), "quiet small")
    return s


def sublayers(s, x, bottom, names, style):
    """Boxes upwards, each with a line around it; returns where the last ends."""
    y = bottom
    for name in names:
        s.line([(x, y), (x, y - 16)]), s.box(x, y - 36, 150, 38, name, style, "small")
        s.line([(x, y - 55), (x, y - 66)], head=False)
        s.line([(x, y - 6), (x + 100, y - 6), (x + 100, y - 74), (x + 24, y - 74)], "hot", 1.6)
        s.box(x, y - 74, 46, 18, "+", "", "hot bold small")
        y -= 84
    return y


def transformer(language):
    s = Sheet(760, 400, ("The Transformer, block by block", "Transformer 的一层一层"), language)
    s.text(170, 384, ("source + positions", "源句 + 位置")), s.text(540, 384, ("target so far + positions", "已写出的部分 + 位置"))
    own, feed = ("self-attention", "自注意力"), ("feed-forward", "前馈网络")
    top = sublayers(s, 170, 368, [s.say(own), s.say(feed)], "")
    s.text(40, 330, "norm", "quiet small"), s.text(40, 246, "norm", "quiet small")
    s.line([(58, 330), (94, 330)], "dashed"), s.line([(58, 246), (94, 246)], "dashed")
    top2 = sublayers(s, 540, 368, [s.say(("masked self-attention", "带掩码的自注意力")), s.say(("attention to the source", "看源句的注意力")),
                                   s.say(feed)], "")
    s.line([(170, top), (170, 150), (330, 150), (330, 248), (464, 248)], "cool", 2)
    s.text(380, 236, "K, V", "cool"), s.text(250, 138, ("states of the source", "源句的状态"), "cool small")
    s.line([(540, top2), (540, 88)]), s.box(540, 66, 150, 38, "softmax"), s.line([(540, 47), (540, 28)])
    s.text(540, 16, ("next word", "下一个词"), "bold")
    s.text(690, 156, ("residual", "残差"), "hot small"), s.text(310, 322, ("residual", "残差"), "hot small")
    s.text(60, 190, "N ×", "bold"), s.text(430, 120, "N ×", "bold")
    return s


def training(language):
    s = Sheet(760, 300, ("Teacher forcing, and a learning rate that warms up", "教师强制，以及先升后降的学习率"), language)
    s.text(170, 22, ("in training: the right words go in", "训练时：读正确的词"), "green")
    for t, (before, after) in enumerate(zip(("<s>", "2", "0"), ("2", "6", "2"))):
        x = 60 + 110 * t
        s.box(x, 110, 60, 36, f"s_{t + 1}"), s.text(x, 176, before, "green"), s.line([(x, 164), (x, 129)], "green")
        s.line([(x, 91), (x, 70)]), s.text(x, 54, after, "hot" if after == "6" else "")
        if t < 2:
            s.line([(x + 30, 110), (x + 80, 110)])
    s.text(170, 206, ("a slip (6) does not spoil the rest", "写错一个（6）不影响后面"), "small quiet")
    s.text(560, 22, ("in use: its own words go in", "使用时：读自己写的词"), "hot")
    for t, (before, after) in enumerate(zip(("<s>", "2", "6"), ("2", "6", "?"))):
        x = 450 + 110 * t
        s.box(x, 110, 60, 36, f"s_{t + 1}"), s.text(x, 176, before, "hot" if before == "6" else ""), s.line([(x, 164), (x, 129)])
        s.line([(x, 91), (x, 70)]), s.text(x, 54, after, "hot" if after in "6?" else "")
        if t < 2:
            s.line([(x + 30, 110), (x + 80, 110)]), s.line([(x + 8, 60), (x + 56, 90), (x + 56, 150), (x + 98, 172)], "hot dashed")
    points = [(60 + 6.4 * t, 284 - 60 * min((t + 1) / 20, math.sqrt(20 / (t + 1)))) for t in range(100)]
    s.curve(points, "cool"), s.text(300, 268, ("learning rate: up, then down", "学习率：先升，后降"), "cool small left")
    s.line([(50, 286), (706, 286)]), s.text(724, 286, ("update", "更新"), "small quiet")
    return s


def masks(language):
    s = Sheet(760, 260, ("Who may look at whom", "谁能看谁"), language)
    n, size = 6, 22
    edges = {(0, 1), (1, 2), (2, 5), (0, 3), (3, 4), (4, 5), (1, 4)}
    kinds = [(("BERT: everyone", "BERT：看全部"), lambda i, j: True, "cool"),
             (("GPT: what was before", "GPT：只看前面"), lambda i, j: j <= i, "hot"),
             (("window: the near ones", "窗口：只看近处"), lambda i, j: abs(i - j) <= 1, "violet"),
             (("graph: the neighbours", "图：只看邻居"), lambda i, j: i == j or (i, j) in edges or (j, i) in edges, "green")]
    for number, (name, sees, style) in enumerate(kinds):
        left = 28 + 186 * number
        for i in range(n):
            for j in range(n):
                s.cell(left + j * size, 60 + i * size, size, 0.75 if sees(i, j) else 0.0, style)
        s.text(left + n * size / 2, 34, name, style)
    s.text(380, 222, ("rows look at columns; what is faint has the score −∞ and so the weight 0", "行看列；淡色格子的分数是 −∞，权重就是 0"), "quiet")
    return s


DIAGRAMS = {"01-rnn": rnn, "02-bottleneck": bottleneck, "03-bahdanau": bahdanau, "04-query-key-value": query_key_value,
            "05-self-attention": self_attention, "06-positions": positions, "07-transformer": transformer,
            "08-training": training, "09-bert-and-gpt": masks}

if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name, draw in DIAGRAMS.items():
        for language, ending in enumerate((".svg", ".zh-CN.svg")):
            (PICTURES / (name + ending)).write_text(draw(language).svg(), encoding="utf-8")
