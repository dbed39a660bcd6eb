#include "serve/engine/detect_language.h"

#include <gtest/gtest.h>

namespace attune::serve {
namespace {

TEST(DetectLanguage, finds_the_language_among_those_that_are_served) {
  const std::vector<std::string> all{"en", "de", "fr", "es", "it", "zh", "ja", "ru", "uk", "el"};
  for (const auto& [language, text] : std::vector<std::pair<std::string, std::string>>{
           {"en", "The weather is fine and they have not seen it."},
           {"de", "Das Wetter ist schön und wir sind nicht zu Hause."},
           {"fr", "Le temps est beau et nous ne sommes pas dans la maison."},
           {"es", "El tiempo es bueno y no estamos en la casa, pero más tarde sí."},
           {"it", "Il tempo è bello e non sono nella casa della nonna."},
           {"zh", "今天天气很好。"},
           {"ja", "今日はとても良い天気です。"},
           {"ru", "Сегодня хорошая погода, и мы не дома."},
           {"uk", "Сьогодні гарна погода, і ми не вдома."},
           {"el", "Ο καιρός είναι καλός σήμερα."}}) {
    const auto found = detect_language(text, all);
    EXPECT_EQ(found[0].language, language) << text;
    EXPECT_GT(found[0].confidence, 40) << text;
    EXPECT_LE(found[0].confidence, 100);
  }
  EXPECT_TRUE(detect_language("123 !?", all).empty());
  std::string cut =
      "The weather is fine and they have not seen it. a";  // 49 bytes, so that a letter is cut in two
  while (cut.size() < 300'000) cut += "ж";
  EXPECT_EQ(detect_language(cut, all)[0].language, "ru");
  EXPECT_EQ(detect_language("今天", {"en"})[0].confidence, 0);
}

TEST(DetectLanguage, says_that_a_text_is_in_none_of_the_languages) {
  const auto confidence = [](const std::string& text, const std::string& only) {
    return detect_language(text, {only})[0].confidence;
  };
  EXPECT_GT(confidence("The weather is fine and they have not seen it.", "en"), 80);
  EXPECT_LT(confidence("Das Wetter ist schön und wir sind nicht zu Hause.", "en"), 10);
  EXPECT_LT(confidence("Le temps est beau et nous ne sommes pas dans la maison.", "de"), 10);
  EXPECT_LT(confidence("Hali ya hewa ni nzuri leo, tunaenda sokoni.", "en"), 25) << "Swahili has no profile";
  EXPECT_EQ(confidence("今天天气很好。", "en"), 0);
  EXPECT_GT(confidence("今天天气很好。", "zh"), 80);
}

}  // namespace
}  // namespace attune::serve
