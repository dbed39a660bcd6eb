#include <gtest/gtest.h>

#include "attune/error.h"
#include "testing/scratch.h"
#include "text/corpus/corpus_source.h"
#include "text/formats/language_tags.h"

namespace attune {
namespace {

using testing::ScratchFolder;
using Rows = std::vector<std::vector<std::string>>;

// The rows of a file, and where they begin.
struct Read {
  Rows rows;
  std::vector<int64_t> lines;
  LeftOut left_out;

  int64_t count(const std::string& reason) const {
    const auto found = left_out.lines.find(reason);
    return found == left_out.lines.end() ? 0 : std::ssize(found->second);
  }
};

Read read(const std::string& name, std::string_view content, const WantedColumns& wanted,
          BadLines bad_lines = BadLines::stop) {
  const ScratchFolder folder;
  Read read;
  const CorpusSource source{.files = {folder.write(name, content)}, .wanted = wanted, .bad_lines = bad_lines};
  read.left_out = read_rows(source, InvalidUtf8::refuse, [&](CorpusRow&& row) {
    read.rows.push_back(std::move(row.columns));
    read.lines.push_back(row.line);
  });
  return read;
}

std::string refusal(const std::string& name, std::string_view content, const WantedColumns& wanted) {
  try {
    read(name, content, wanted);
  } catch (const UsageError& error) {
    const std::string text = error.what();
    return text.substr(text.find(name));
  }
  return "accepted";
}

const WantedColumns kEnFr{.languages = {"en", "fr"}};

// ---- TMX

constexpr std::string_view kTmx = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
  <header srclang="en" datatype="plaintext"><note>Not a segment</note></header>
  <body>
    <tu tuid="1">
      <tuv xml:lang="en-US"><seg>Hello &amp; welcome,
        <bpt i="1">&lt;b&gt;</bpt>world<ept i="1">&lt;/b&gt;</ept>!</seg></tuv>
      <tuv xml:lang="FR"><seg>Bonjour &#x1F642; <hi type="x">le monde</hi></seg></tuv>
    </tu>
    <tu><tuv xml:lang="en"><seg>No French</seg></tuv><tuv xml:lang="de"><seg>Ohne</seg></tuv></tu>
    <tu><tuv xml:lang="en"><seg>Empty</seg></tuv><tuv xml:lang="fr"><seg> <ph>%s</ph>
    </seg></tuv></tu>
    <tu><tuv xml:lang="en-GB"><seg>colour</seg></tuv><tuv xml:lang="en"><seg>color</seg></tuv>
        <tuv xml:lang="fr-CA"><prop>x</prop><seg>couleur</seg></tuv></tu>
  </body>
</tmx>
)";

TEST(Tmx, gives_the_segments_of_two_languages) {
  const Read all = read("memory.tmx", kTmx, kEnFr);
  EXPECT_EQ(all.rows, (Rows{{"Hello & welcome, world!", "Bonjour 🙂 le monde"}, {"color", "couleur"}}));
  EXPECT_EQ(all.lines, (std::vector<int64_t>{6, 14}));
  EXPECT_EQ(all.left_out.rows, 4);
  EXPECT_EQ(all.count("without fr"), 1);
  EXPECT_EQ(all.count("empty"), 1);
  EXPECT_EQ(all.left_out.text(),
            "2 of 4 are left out: 1 empty (first on line 12), 1 without fr (first on line 11)");
}

TEST(Tmx, is_known_by_its_content_and_languages_may_be_any) {
  EXPECT_EQ(read("memory", kTmx, {.languages = {"de", "en"}}).rows, (Rows{{"Ohne", "No French"}}));
  EXPECT_EQ(read("memory", kTmx, {.languages = {"fr"}}).rows.size(), 2);
}

TEST(Tmx, old_versions_say_lang_and_write_in_capitals) {
  EXPECT_EQ(read("old.tmx",
                 "<TMX VERSION=\"1.1\"><BODY><TU><TUV LANG=\"EN\"><SEG>a<UT>{\\b}</UT>b</SEG></TUV>"
                 "<TUV lang=\"fr\"><SEG>c</SEG></TUV></TU></BODY></TMX>",
                 kEnFr)
                .rows,
            (Rows{{"ab", "c"}}));
}

TEST(Tmx, the_encoding_is_what_the_file_says_or_its_mark) {
  EXPECT_EQ(read("latin.tmx",
                 "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><tmx><body><tu><tuv xml:lang=\"en\">"
                 "<seg>e</seg></tuv><tuv xml:lang=\"fr\"><seg>\xE9t\xE9</seg></tuv></tu></body></tmx>",
                 kEnFr)
                .rows,
            (Rows{{"e", "été"}}));
  const std::string ascii =
      "<?xml version=\"1.0\" encoding=\"UTF-16\"?><tmx><body><tu><tuv xml:lang=\"en\"><seg>a</seg></tuv>"
      "<tuv xml:lang=\"fr\"><seg>b</seg></tuv></tu></body></tmx>";
  std::string wide("\xFF\xFE", 2);
  for (const char c : ascii) wide += {c, '\0'};
  EXPECT_EQ(read("wide.tmx", wide, kEnFr).rows, (Rows{{"a", "b"}}));
}

TEST(Tmx, says_which_languages_there_are) {
  EXPECT_EQ(refusal("memory.tmx", kTmx, {}),
            "memory.tmx: say which languages to read, as in `--languages en-US FR`; it has en-US, FR");
  EXPECT_EQ(
      refusal("memory.tmx", kTmx, {.languages = {"en", "ja"}}),
      "memory.tmx: none of its 4 units has en and ja; its languages are en-US, FR, en, de, fr, en-GB, fr-CA");
}

TEST(Tmx, what_was_cut_off_anywhere_is_refused) {
  const size_t body = kTmx.find("<body>");
  for (size_t size = body; size + 8 < kTmx.size(); size += 7)
    EXPECT_THROW(read("memory.tmx", kTmx.substr(0, size), kEnFr), UsageError) << size;
  EXPECT_EQ(refusal("memory.tmx", kTmx.substr(0, kTmx.find("<hi")), kEnFr),
            "memory.tmx:9: the file is incomplete; it was cut off");
  EXPECT_EQ(refusal("memory.tmx", "", kEnFr), "memory.tmx:1: the file is incomplete; it was cut off");
}

TEST(Tmx, bombs_are_refused) {
  EXPECT_NE(refusal("laughs.tmx",
                    "<!DOCTYPE tmx [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">]><tmx><body><tu>"
                    "<tuv xml:lang=\"en\"><seg>&b;</seg></tuv></tu></body></tmx>",
                    kEnFr)
                .find("it defines an entity of its own (a)"),
            std::string::npos);
  EXPECT_NE(
      refusal("external.tmx",
              "<!DOCTYPE tmx SYSTEM \"x.dtd\"><tmx><body><tu><tuv xml:lang=\"en\"><seg>&eacute;</seg></tuv>"
              "</tu></body></tmx>",
              kEnFr)
          .find("nothing says what &eacute; is"),
      std::string::npos);
  std::string deep = "<tmx>";
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  EXPECT_NE(refusal("deep.tmx", deep, kEnFr).find("nested more than 200 deep"), std::string::npos);
  EXPECT_NE(
      refusal("tag.tmx", "<tmx x=\"" + std::string(3 << 20, 'x') + "\"/>", kEnFr).find("longer than 1 MB"),
      std::string::npos);
  EXPECT_NE(refusal("long.tmx", "<tmx><tu><tuv xml:lang=\"en\"><seg>" + std::string(17 << 20, 'x'), kEnFr)
                .find("the unit has more than 16 MB"),
            std::string::npos);
}

// ---- XLIFF

TEST(Xliff, version_1_has_units_with_source_and_target) {
  const Read all = read("a.xlf", R"(<?xml version="1.0"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
 <file source-language="en" target-language="fr-FR" original="x"><body>
  <trans-unit id="1"><source>Save <g id="1">all</g> <x id="2"/>files</source>
    <seg-source><mrk mtype="seg">Save</mrk></seg-source>
    <target>Tout <ph id="3">%1</ph>enregistrer</target>
    <alt-trans><source>Old</source><target>Vieux</target></alt-trans></trans-unit>
  <trans-unit id="2"><source>Later</source></trans-unit>
  <trans-unit id="3"><source>New</source><target state="needs-translation">New</target></trans-unit>
  <group><trans-unit id="4"><source>In a group</source><target>Dans un groupe</target></trans-unit></group>
 </body></file>
</xliff>)",
                        kEnFr);
  EXPECT_EQ(all.rows, (Rows{{"Save all files", "Tout enregistrer"}, {"In a group", "Dans un groupe"}}));
  EXPECT_EQ(all.count("without fr"), 1);
  EXPECT_EQ(all.count("not translated"), 1);
}

TEST(Xliff, version_2_has_segments) {
  constexpr std::string_view kFile = R"(<xliff version="2.0" srcLang="en" trgLang="zh-CN"
  xmlns="urn:oasis:names:tc:xliff:document:2.0"><file id="f"><unit id="u">
  <originalData><data id="d">&lt;br&gt;</data></originalData>
  <segment><source>One <pc id="1">two</pc><ph id="2" dataRef="d"/>.</source><target>一<pc id="1">二</pc>。</target></segment>
  <ignorable><source> </source></ignorable>
  <segment state="initial"><source>Three</source><target>三</target></segment>
</unit></file></xliff>)";
  EXPECT_EQ(read("a.xliff", kFile, {.languages = {"zh", "en"}}).rows, (Rows{{"一二。", "One two."}}));
  EXPECT_EQ(read("a.xliff", kFile, {}).rows, (Rows{{"One two.", "一二。"}}))
      << "source and target by default";
}

// ---- PO

constexpr std::string_view kPo = R"po(# Übersetzung
msgid ""
msgstr ""
"Project-Id-Version: x\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Language: fr\n"

#: a.c:1
msgid "Open \"%s\"\n"
"now"
msgstr "Ouvrir « %s »\tmaintenant"

msgctxt "menu"
msgid "Quit"
msgstr ""

#, fuzzy, c-format
#| msgid "Befor"
msgid "Before"
msgstr "Avant"

msgid "one file"
msgid_plural "%d files"
msgstr[0] "un fichier"
msgstr[1] "%d fichiers"

#~ msgid "Obsolete"
#~ msgstr "Obsolète"
)po";

TEST(Po, gives_what_is_translated) {
  const Read all = read("fr.po", kPo, {});
  EXPECT_EQ(all.rows, (Rows{{"Open \"%s\" now", "Ouvrir « %s » maintenant"},
                            {"one file", "un fichier"},
                            {"%d files", "%d fichiers"}}));
  EXPECT_EQ(all.lines, (std::vector<int64_t>{9, 22, 22}));
  EXPECT_EQ(all.count("not translated"), 1);
  EXPECT_EQ(all.count("fuzzy"), 1);
}

TEST(Po, languages_say_which_side_is_the_source) {
  EXPECT_EQ(read("x", kPo, kEnFr).rows[1], (std::vector<std::string>{"one file", "un fichier"}));
  EXPECT_EQ(read("x", kPo, {.languages = {"fr", "en"}}).rows[1],
            (std::vector<std::string>{"un fichier", "one file"}));
  EXPECT_NE(refusal("x.po", kPo, {.languages = {"en", "de"}}).find("its languages are fr"),
            std::string::npos);
}

TEST(Po, where_there_is_one_form_it_is_the_plural) {
  EXPECT_EQ(read("zh.po", "msgid \"a file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"%d 个文件\"\n", {}).rows,
            (Rows{{"%d files", "%d 个文件"}}));
}

TEST(Po, what_is_wrong_is_named) {
  constexpr std::string_view kBad =
      "msgid \"a\"\nmsgstr \"b\"\n\nmsgid \"c\"\nmsgstr \"d\n\nmsgid \"e\"\nmsgstr \"f\"\n";
  EXPECT_EQ(refusal("x.po", kBad, {}), "x.po:5: a text in quotes should stand here");
  EXPECT_EQ(read("x.po", kBad, {}, BadLines::skip).rows, (Rows{{"a", "b"}, {"e", "f"}}));
  EXPECT_EQ(refusal("x.po", "msgid \"a\"\n", {}), "x.po:1: it has no msgstr");
  EXPECT_NE(refusal("x.po", "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=ISO-8859-1\\n\"\n", {})
                .find("its charset is iso-8859-1; `msgconv -t UTF-8`"),
            std::string::npos);
}

// ---- Tables

TEST(Csv, has_quotes_line_ends_in_fields_and_names_in_the_first_row) {
  constexpr std::string_view kFile =
      "id,en,fr\r\n1,\"Say \"\"hi\"\", now\",\"Dis\r\n« salut »\"\r\n\r\n2,,vide\r\n3,a \"b\" c,été";
  const Read all = read("a.csv", kFile, {.columns = {"en", "fr"}});
  EXPECT_EQ(all.rows, (Rows{{"Say \"hi\", now", "Dis « salut »"}, {"a \"b\" c", "été"}}));
  EXPECT_EQ(all.lines, (std::vector<int64_t>{2, 6}));
  EXPECT_EQ(all.count("empty"), 1);
  EXPECT_EQ(read("a.csv", kFile, kEnFr).rows.size(), 2) << "languages fit names of columns";
}

TEST(Csv, columns_by_number_have_no_header) {
  EXPECT_EQ(read("a.csv", "a;b;c\nd;\"e;f\";g\n", {.columns = {"3", "2"}}).rows,
            (Rows{{"c", "b"}, {"g", "e;f"}}));
}

TEST(Csv, says_which_columns_there_are) {
  EXPECT_EQ(
      refusal("a.csv", "id,en,fr\n1,2,3\n", {}),
      "a.csv: say which columns to read, as in `--columns id en` (by number: 1 to 3); it has id, en, fr");
  EXPECT_EQ(refusal("a.csv", "id,en,fr\n1,2,3\n", {.columns = {"en", "de"}}),
            "a.csv: none of its 1 units has en and de; its columns are id, en, fr");
}

TEST(Csv, bad_rows_stop_or_are_skipped) {
  constexpr std::string_view kBad = "en,fr\na,b\nc\nd,\"e\"f\ng,h\n";
  EXPECT_EQ(refusal("a.csv", kBad, kEnFr), "a.csv:3: the first row has 2 fields, but this one has 1");
  const Read all = read("a.csv", kBad, kEnFr, BadLines::skip);
  EXPECT_EQ(all.rows, (Rows{{"a", "b"}, {"g", "h"}}));
  EXPECT_EQ(all.count("text follows a closing quote"), 1);
  EXPECT_EQ(refusal("a.csv", "en,fr\na,\"b\nc,d\n", kEnFr), "a.csv:2: a quote is opened and never closed");
  EXPECT_EQ(refusal("a.csv", "en,fr\na,\"" + std::string(17 << 20, 'x'), kEnFr),
            "a.csv:2: a quote is opened and never closed");
}

TEST(Tsv, with_names_is_read_by_them_and_quotes_are_text) {
  EXPECT_EQ(read("a.tsv", "id\ten\tfr\n1\t\"a\tb\n", kEnFr).rows, (Rows{{"\"a", "b"}}));
  EXPECT_EQ(read("a.tsv", "a\tb\n", {.columns = {"2", "1"}}).rows, (Rows{{"b", "a"}}));
}

// ---- JSON lines

TEST(JsonLines, fields_by_name_also_in_objects) {
  EXPECT_EQ(read("a.jsonl", R"({"id": 1, "src": "Say \"hi\"\nnow", "tgt": "d\u00e9j\u00e0 \ud83d\ude42"}
{"src": ["no"], "tgt": "liste"}

{"src": null, "more": {"src": "no"}, "tgt": "x", "src ": "no"}
)",
                 {.columns = {"src", "tgt"}})
                .rows,
            (Rows{{"Say \"hi\" now", "déjà 🙂"}, {"no", "x"}}));
  constexpr std::string_view kNested = R"({"translation": {"en": "a", "fr": "b"}, "x": [{"en": "no"}]})";
  EXPECT_EQ(read("opus", kNested, kEnFr).rows, (Rows{{"a", "b"}}));
  EXPECT_EQ(read("opus", kNested, {.columns = {"translation.fr"}}).rows, (Rows{{"b"}}));
  EXPECT_NE(refusal("opus.json", kNested, {}).find("it has translation.en, translation.fr"),
            std::string::npos);
}

TEST(JsonLines, bad_lines_stop_or_are_skipped) {
  const std::string deep(100'000, '[');
  for (const auto& [line, why] :
       {std::pair<std::string, std::string>{"{\"en\": \"a\", \"fr\": ", "is not JSON"},
        {"[1]", "it is a list"},
        {"12", "it is not an object"},
        {"{\"en\": " + deep, "nested more than 100 deep"},
        {"{\"" + std::string(2000, 'x') + "\": 1}", "a name has more than 1000 bytes"},
        {"{\"en\": \"\xFF\", \"fr\": \"b\"}", "is not JSON"}}) {
    const std::string file = "{\"en\": \"a\", \"fr\": \"b\"}\n" + line + "\n{\"en\": \"c\", \"fr\": \"d\"}\n";
    const std::string text = refusal("a.jsonl", file, kEnFr);
    EXPECT_TRUE(text.starts_with("a.jsonl:2: ")) << text;
    EXPECT_NE(text.find(why), std::string::npos) << text;
    EXPECT_EQ(read("a.jsonl", file, kEnFr, BadLines::skip).rows, (Rows{{"a", "b"}, {"c", "d"}}));
  }
}

// ---- Plain text

TEST(PlainText, is_not_taken_for_another_format) {
  for (const std::string_view text :
       {"msgid is a word\n", "<p>tmx</p>\n", "{ braces }\n", "a,b\n", "<tm\n", "#\n"})
    EXPECT_EQ(read("train.en", text, {}).rows.size(), 1) << text;
}

TEST(LanguageTags, match_exactly_by_spelling_or_by_language) {
  EXPECT_EQ(match_tags("en", "en"), TagMatch::exact);
  EXPECT_EQ(match_tags("en-us", "EN_US"), TagMatch::spelling);
  EXPECT_EQ(match_tags("en", "EN_gb"), TagMatch::region);
  EXPECT_EQ(match_tags("en", "eng"), TagMatch::none);
  EXPECT_EQ(match_tags("en-US", "en"), TagMatch::none);
  EXPECT_EQ(match_tags("", "en"), TagMatch::none);
}

TEST(OnOneLine, line_ends_become_blanks) {
  EXPECT_EQ(on_one_line(" a\r\n  b\tc  d \n"), "a b c  d");
  EXPECT_EQ(on_one_line(" \n\t"), "");
  EXPECT_EQ(on_one_line(""), "");
}

}  // namespace
}  // namespace attune
