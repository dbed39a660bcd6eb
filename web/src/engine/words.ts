// What only a page with an engine of its own says.
import type { App } from "../app";
import type { TextKey } from "../texts";

// What the page says of its server elsewhere.
export const REWORDED: Partial<Record<TextKey, [string, string]>> = {
  lookHelp: ["Which text should the model read? It runs here, in your browser.", "要让模型读哪段文本？模型就在你的浏览器里运行。"],
  noModels: ["This page has no model for this view.", "本页没有适用于此视图的模型。"],
  oneModelServed: ["This page has only one model for these languages. `attune page -m A -m B` makes a page with two.", "本页这对语言只有一个模型。用 `attune page -m A -m B` 可生成带两个模型的页面。"],
  noAttention: ["This model has no attention to look at: it reads the whole source into one vector.", "这个模型没有注意力可看：它把整个源句读进一个向量。"],
};

const words = {
  unpacking: ["Unpacking the model", "正在解压模型"],
  starting: ["Starting the engine", "正在启动引擎"],
  noEngine: ["The engine is missing from this file. Was it saved completely?", "文件中没有引擎。它保存完整了吗？"],

  help: [
    "A model learns in this page, on your own machine; nothing is sent anywhere. Press Start and watch: the loss falls, the outputs become right, and the model finds out by itself where to look. You can train several models on the same data and compare them.",
    "模型就在这个网页里、在你自己的电脑上训练，不会向外发送任何数据。点击“开始”，看损失下降、输出变对，模型自己学会该看哪里。可以用同样的数据训练几个模型，再作比较。",
  ],
  plan: ["Model", "模型"],
  none: ["RNN without attention", "没有注意力的 RNN"],
  bahdanau: ["Bahdanau", "Bahdanau"],
  luong: ["Luong", "Luong"],
  transformer: ["Transformer", "Transformer"],
  data: ["Data", "数据"],
  dates: ["dates, as people write them", "人们书写的日期"],
  pairs: ["pairs of your own", "自己的句对"],
  pairsLabel: ["Pairs of lines", "句对"],
  pairsHelp: [
    "One pair on each line: what the model reads, a tab or =>, and what it should write. You can paste two columns of a spreadsheet. The model works with characters, so short lines learn faster. # pairs so far; it needs at least 2.",
    "每行一对：模型读入的内容、一个制表符或 =>，以及应当写出的内容。可以直接粘贴电子表格的两列。模型按字符处理，短行学得更快。现有 # 对，至少需要 2 对。",
  ],
  pairsExample: ["one hundred and five => 105\ntwenty-three => 23", "一百零五 => 105\n二十三 => 23"],
  rate: ["Learning rate", "学习率"],
  updates: ["Updates", "更新次数"],
  start: ["Start", "开始"],
  pause: ["Pause", "暂停"],
  goOn: ["Go on", "继续"],
  again: ["Start again", "重新开始"],
  saveModel: ["Save the model", "保存模型"],
  saveHelp: ["A zip file. Unzipped, it is a model folder for `attune translate -m`.", "保存为 zip 文件。解压后就是 `attune translate -m` 可用的模型文件夹。"],
  preparing: ["Preparing the data", "正在准备数据"],
  pausing: ["Pausing after this step", "这一步结束后暂停"],
  finished: ["Finished. For more, raise the number of updates and go on.", "训练结束。想继续训练，可增大更新次数后点击“继续”。"],
  progress: ["update # of #", "第 # 次更新，共 # 次"],
  loss: ["loss #", "损失 #"],
  exact: ["#% of the validation lines exactly right", "验证集 #% 完全正确"],
  speed: ["# tokens/s", "每秒 # 个词元"],
} satisfies Record<string, [string, string]>;

export type WordKey = keyof typeof words;

// Each # stands for the next of the values.
export function say(app: App, key: WordKey, ...values: (string | number)[]): string {
  return words[key][app.state.language === "en" ? 0 : 1]!.replace(/#/g, () => String(values.shift()));
}
