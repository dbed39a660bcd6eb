// Properties that a character has or not, behind the number of its category (five bits).
#pragma once

namespace attune {

enum CharacterBit : unsigned { kCombines = 5, kStartsComposed, kUnspaced, kChinese, kJoins, kWide };

}  // namespace attune
