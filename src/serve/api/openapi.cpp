#include "serve/api/openapi.h"

namespace attune::serve {

std::string_view openapi() {
  return R"json({
  "openapi": "3.0.3",
  "info": {"title": "attune", "version": "1", "description": "LibreTranslate's interface, and attune's own under /v1"},
  "paths": {
    "/translate": {"post": {
      "summary": "Translate a text, or a list of texts",
      "requestBody": {"required": true, "content": {
        "application/json": {"schema": {"$ref": "#/components/schemas/Translate"}},
        "application/x-www-form-urlencoded": {"schema": {"$ref": "#/components/schemas/Translate"}},
        "multipart/form-data": {"schema": {"$ref": "#/components/schemas/Translate"}}}},
      "responses": {
        "200": {"description": "The translation", "content": {"application/json": {"schema": {
          "type": "object", "required": ["translatedText"], "properties": {
            "translatedText": {"$ref": "#/components/schemas/Texts"},
            "detectedLanguage": {"description": "Only where source is auto; a list for a list of texts",
              "$ref": "#/components/schemas/Detected"},
            "alternatives": {"type": "array", "items": {"type": "string"}}}}}}},
        "400": {"$ref": "#/components/responses/Error"}, "403": {"$ref": "#/components/responses/Error"},
        "413": {"$ref": "#/components/responses/Error"}, "429": {"$ref": "#/components/responses/Error"},
        "500": {"$ref": "#/components/responses/Error"}, "503": {"$ref": "#/components/responses/Error"}}}},
    "/detect": {"post": {
      "summary": "Which of the served languages a text is written in",
      "requestBody": {"required": true, "content": {"application/json": {"schema": {
        "type": "object", "required": ["q"], "properties": {"q": {"$ref": "#/components/schemas/Texts"},
          "api_key": {"type": "string"}}}}}},
      "responses": {"200": {"description": "Likeliest first; for a list of texts, those of all of them", "content": {"application/json": {"schema": {
        "type": "array", "items": {"$ref": "#/components/schemas/Detected"}}}}},
        "400": {"$ref": "#/components/responses/Error"}}}},
    "/suggest": {"post": {"summary": "There are no suggestions", "responses": {"403": {"$ref": "#/components/responses/Error"}}}},
    "/translate_file": {"post": {"summary": "No files are translated",
      "responses": {"403": {"$ref": "#/components/responses/Error"}}}},
    "/languages": {"get": {"summary": "Languages and what they can be translated to",
      "responses": {"200": {"description": "A list of code, name and targets"}}}},
    "/health": {"get": {"summary": "Whether the server runs", "responses": {"200": {"description": "status: ok"}}}},
    "/frontend/settings": {"get": {"summary": "What a page needs to know",
      "responses": {"200": {"description": "Limits and first languages"}}}},
    "/metrics": {"get": {"summary": "Counters for Prometheus", "responses": {"200": {"description": "Text"}}}},
    "/": {"get": {"summary": "The page: translate, look inside, follow training", "responses": {"200": {"description": "HTML"}}}},
    "/v1/attend": {"post": {
      "summary": "All that models look at when they write: every layer and head, and the tree of the search",
      "requestBody": {"required": true, "content": {"application/json": {"schema": {
        "type": "object", "required": ["q"], "additionalProperties": false, "properties": {"q": {"type": "string"},
          "output": {"type": "string", "description": "What they are made to write; without it, what their search finds"},
          "model": {"$ref": "#/components/schemas/Texts"},
          "heads_off": {"type": "array", "description": "Heads that add nothing; without head: all of the layer",
            "items": {"$ref": "#/components/schemas/Head"}},
          "look_at": {"type": "array", "description": "Tokens that look elsewhere: query (without it, every one) gives key all its weight",
            "items": {"allOf": [{"$ref": "#/components/schemas/Head"}, {"type": "object", "required": ["key"], "properties": {
              "query": {"type": "integer", "minimum": 0}, "key": {"type": "integer", "minimum": 0}}}]}},
          "begin": {"type": "array", "items": {"type": "string"}, "description": "Tokens that the search has to begin with; with </s>, all that is written"},
          "numbers": {"type": "boolean", "default": false, "description": "Also queries, keys, values, states, gates, and the matrices of one head"},
          "matrices": {"$ref": "#/components/schemas/Head"},
          "gradients": {"type": "boolean", "default": false, "description": "Also gradient x input"},
          "source": {"type": "string"}, "target": {"type": "string"}, "api_key": {"type": "string"}}}}}},
      "responses": {"200": {"description": "The data of the page"}, "400": {"$ref": "#/components/responses/Error"}}}},
    "/v1/runs": {"get": {"summary": "Names of the training runs", "responses": {"200": {"description": "A list"}}}},
    "/v1/run": {"get": {"summary": "A training run as it is now: curves, samples, attention",
      "parameters": [{"name": "name", "in": "query", "required": true, "schema": {"type": "string"}}],
      "responses": {"200": {"description": "The data of the page"}, "404": {"$ref": "#/components/responses/Error"}}}},
    "/v1/models": {"get": {"summary": "The models", "responses": {"200": {"description": "A list"}}}},
    "/v1/models/{id}": {"get": {"summary": "One of them",
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
      "responses": {"200": {"description": "A model"}, "404": {"$ref": "#/components/responses/OpenAiError"}}}},
    "/v1/translate/stream": {"post": {
      "summary": "Translate one text word by word, by server-sent events",
      "requestBody": {"required": true, "content": {"application/json": {"schema": {
        "type": "object", "required": ["q"], "additionalProperties": false, "properties": {"q": {"type": "string"}, "model": {"type": "string"},
          "source": {"type": "string"}, "target": {"type": "string"}, "api_key": {"type": "string"}}}}}},
      "responses": {"200": {"description": "Parts of each sentence, then all", "content": {"text/event-stream": {}}},
        "400": {"$ref": "#/components/responses/Error"}}}},
    "/v1/completions": {"post": {
      "summary": "What a language model writes after a prompt",
      "requestBody": {"required": true, "content": {"application/json": {"schema": {
        "type": "object", "required": ["model"], "additionalProperties": false, "properties": {"model": {"type": "string"},
          "prompt": {"$ref": "#/components/schemas/Texts"}, "n": {"type": "integer", "default": 1, "maximum": 16},
          "echo": {"type": "boolean", "default": false}, "user": {"type": "string"},
          "max_tokens": {"type": "integer", "default": 16, "maximum": 4096},
          "temperature": {"type": "number", "default": 1, "minimum": 0, "maximum": 2},
          "top_p": {"type": "number", "default": 1},
          "top_k": {"type": "integer", "default": 0, "description": "Draws among this many; 0: all"},
          "seed": {"type": "integer", "description": "Without one, each answer is different"},
          "stop": {"$ref": "#/components/schemas/Texts"},
          "stream": {"type": "boolean", "default": false},
          "stream_options": {"type": "object", "properties": {"include_usage": {"type": "boolean"}}},
          "api_key": {"type": "string"}}}}}},
      "responses": {"200": {"description": "As OpenAI's interface has it"},
        "400": {"$ref": "#/components/responses/OpenAiError"}, "404": {"$ref": "#/components/responses/OpenAiError"}}}},
    "/v1/next": {"post": {
      "summary": "The likeliest next tokens of a text, by a language model",
      "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Guess"}}}},
      "responses": {"200": {"description": "Each token with its probability and the text that results"},
        "400": {"$ref": "#/components/responses/Error"}}}},
    "/v1/fill": {"post": {
      "summary": "The likeliest tokens behind each [MASK] of a text",
      "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Guess"}}}},
      "responses": {"200": {"description": "For each mask its tokens, with their probabilities and the text that results"},
        "400": {"$ref": "#/components/responses/Error"}}}},
    "/v1/translate": {"post": {
      "summary": "Translate with n-best lists, scores of tokens and alignments",
      "requestBody": {"required": true, "content": {"application/json": {"schema": {
        "type": "object", "required": ["q"], "additionalProperties": false, "properties": {
          "q": {"$ref": "#/components/schemas/Texts"}, "model": {"type": "string"},
          "source": {"type": "string"}, "target": {"type": "string"},
          "n_best": {"type": "integer", "minimum": 1, "default": 1},
          "alignment": {"type": "boolean", "default": false},
          "heads_off": {"type": "array", "description": "Heads that add nothing; without head: all of the layer",
            "items": {"$ref": "#/components/schemas/Head"}},
          "api_key": {"type": "string"}}}}}},
      "responses": {"200": {"description": "Outputs of every sentence, best first"},
        "400": {"$ref": "#/components/responses/Error"}}}}
  },
  "components": {
    "schemas": {
      "Texts": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
      "Guess": {"type": "object", "required": ["model", "q"], "additionalProperties": false, "properties": {"model": {"type": "string"}, "q": {"type": "string"},
        "top": {"type": "integer", "default": 8, "maximum": 100}, "api_key": {"type": "string"}}},
      "Head": {"type": "object", "required": ["kind", "layer"], "properties": {
        "kind": {"type": "string", "enum": ["encoder", "decoder", "cross"]},
        "layer": {"type": "integer", "minimum": 0}, "head": {"type": "integer", "minimum": 0}}},
      "Detected": {"type": "object", "properties": {
        "confidence": {"type": "number", "minimum": 0, "maximum": 100}, "language": {"type": "string"}}},
      "Translate": {"type": "object", "required": ["q", "source", "target"], "properties": {
        "q": {"$ref": "#/components/schemas/Texts"},
        "source": {"type": "string", "description": "A language code, or auto"},
        "target": {"type": "string"},
        "format": {"type": "string", "enum": ["text", "html", ""], "default": "text"},
        "alternatives": {"type": "integer", "maximum": 16, "default": 0},
        "api_key": {"type": "string"}}}
    },
    "responses": {"Error": {"description": "What went wrong", "content": {"application/json": {"schema": {
      "type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}}}}},
      "OpenAiError": {"description": "What went wrong", "content": {"application/json": {"schema": {
        "type": "object", "required": ["error"], "properties": {"error": {"type": "object", "properties": {
          "message": {"type": "string"}, "type": {"type": "string"}, "param": {"type": "string", "nullable": true},
          "code": {"type": "string", "nullable": true}}}}}}}}}
  }
}
)json";
}

}  // namespace attune::serve
