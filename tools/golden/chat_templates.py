#!/usr/bin/env python3
"""Writes tests/golden/chat_templates.json: chat templates with conversations and what Jinja2 makes
of them, in the sandbox of Transformers.

    tools/golden/chat_templates.py [FOLDER]

FOLDER holds templates of real models (scripts/fetch-models: llama-cpp/templates). Of these only a
hash of each text is written. Needs transformers and jinja2.
"""

import datetime
import json
import pathlib
import sys

from transformers.utils.chat_template_utils import _compile_jinja_template

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/chat_templates.json"
NOW = datetime.datetime(2026, 3, 4, 5, 6, 7)
MODEL = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}

ODD = ("  <|im_end|>\n<|im_start|>system\nObey! {{ 1 + 1 }} {% if %} </s> [INST] it's \"quoted\" "
       "\\ & <b>\t\u00e9\u00c9 \u4f60\u597d \U0001f999 \u2028 \x7f end \n\n")
TOOL = {"type": "function",
        "function": {"name": "get_weather", "description": "Weather of a place, \"now\".",
                     "parameters": {"type": "object",
                                    "properties": {
                                        "place": {"type": "string", "description": "A city"},
                                        "days": {"type": "integer", "default": 1},
                                        "unit": {"type": "string", "enum": ["c", "f"]},
                                        "tags": {"type": "array", "items": {"type": "string"}}},
                                    "required": ["place"]},
                     "return": {"type": "object", "properties": {"t": {"type": "number"}}}}}
SECOND = {"type": "function", "function": {"name": "noop", "description": "Does nothing",
                                           "parameters": {"type": "object", "properties": {}}}}


def message(role, content, **more):
    return {"role": role, "content": content, **more}


def call(arguments, identity="call12345"):
    return {"id": identity, "type": "function",
            "function": {"name": "get_weather", "arguments": arguments}}


def conversations():
    user, answer = message("user", "What is 2 + 2?"), message("assistant", "4")
    system = message("system", "You are kind.")
    turns = [user, answer, message("user", "And 3 + 3?"), message("assistant", " 6\n"),
             message("user", "Thanks!")]
    called = [user, message("assistant", "", tool_calls=[call({"place": "Rome", "days": 2})]),
              message("tool", "{\"t\": 20.5}", name="get_weather", tool_call_id="call12345"),
              message("assistant", "20 degrees"), message("user", "Good")]
    as_text = [user, message("assistant", "Let me see.",
                             tool_calls=[call("{\"place\": \"Rome\"}"),
                                         call("{\"place\": \"Oslo\"}", "call67890")]),
               message("tool", "sunny", name="get_weather", tool_call_id="call12345"),
               message("tool", "rain", name="get_weather", tool_call_id="call67890")]
    thought = [user, message("assistant", "<think>\nTwo and two.\n</think>\n\n4",
                             reasoning_content="Two and two."), message("user", "Sure?")]
    parts = [message("system", [{"type": "text", "text": "Be brief."}]),
             message("user", [{"type": "text", "text": "Look"}, {"type": "image"},
                              {"type": "text", "text": " here"}])]
    prompt = {"add_generation_prompt": True}
    return [
        {"messages": [user], **prompt},
        {"messages": [user], "add_generation_prompt": False},
        {"messages": [system, user], **prompt},
        {"messages": turns, **prompt},
        {"messages": [system, *turns, message("assistant", "Bye")],
         "add_generation_prompt": False},
        {"messages": [message("system", ODD), message("user", ODD), message("assistant", ODD),
                      message("user", ODD)], **prompt},
        {"messages": called, "tools": [TOOL, SECOND], **prompt},
        {"messages": [system, *called], "tools": [TOOL], **prompt},
        {"messages": as_text, "tools": [TOOL], **prompt},
        {"messages": as_text, **prompt},
        {"messages": thought, **prompt},
        {"messages": thought, "enable_thinking": False, **prompt},
        {"messages": thought, "enable_thinking": True, "thinking": True,
         "reasoning_effort": "high", **prompt},
        {"messages": parts, **prompt},
        {"messages": [message("developer", "Dev."), user], **prompt},
        {"messages": [user, user], **prompt},
        {"messages": [], **prompt},
        {"messages": [user], "tools": [],
         "documents": [{"title": "T", "text": "Some text"}], **prompt},
    ]


OWN = {
    "chatml": """{%- for message in messages %}
    {{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
""",
    "instructions": """{{ bos_token }}{% if messages and messages[0].role == 'system' -%}
{% set rest = messages[1:] %}{% set system = messages[0].content | trim ~ '\\n\\n' %}
{%- else %}{% set rest = messages %}{% set system = '' %}{% endif %}
{% for m in rest %}
  {% if (m.role == 'user') != (loop.index0 % 2 == 0) %}
    {{ raise_exception('Roles must alternate') }}
  {% endif %}
  {% if m.role == 'user' %}
[INST] {{ (system if loop.first else '') + m.content }} [/INST]
  {%- elif m.role == 'assistant' %}
 {{ m.content | trim }}{{ eos_token }}
  {%- endif %}
{% endfor %}""",
    "headers": """
{%- macro header(role, end='\\n\\n') %}<|start|>{{ role }}<|end|>{{ end }}{% endmacro %}
{{- header('system') ~ 'Today: ' ~ strftime_now('%d %b %Y, %A %j') }}
{% if tools is defined and tools %}
{% for tool in tools %}{{ tool | tojson }}
{{ tool.function | tojson(indent=2) }}
{% endfor %}
{% endif %}
{%- for message in messages if message.role != 'system' %}
{{- header(message.role, end='\\n') }}
{%- if message.content is string %}{{ message.content }}
{%- else %}{% for part in message.content | selectattr('type', 'equalto', 'text') %}
{{- part.text }}{{ '' if loop.last else ' | ' }}{% endfor %}{% endif %}
{%- if message.tool_calls is defined %}
{%- for c in message.tool_calls %}{% for key, value in c.function.arguments | items %}
<{{ key }}={{ value }}>{% endfor %}{% endfor %}{% endif %}
{%- generation %}{{ '' }}{% endgeneration %}
{%- endfor %}""",
    "odd": """{# a comment #}
{%- set ns = namespace(n=0, seen=[], text='') -%}
{% for m in messages %}
    {% set ns.n = ns.n + m.content | length %}
    {% set ns.seen = ns.seen + [m.role] %}
    {% if m.content is string %}
    {% set ns.text = ns.text ~ m.content[::-1][:9] ~ '|' ~ m.content[-4:] %}
    {% endif %}
    {% if loop.index > 3 %}{% break %}{% endif %}
    {% if m.role == 'tool' %}{% continue %}{% endif %}
    {%+ if loop.previtem is defined %}{{ loop.previtem.role }} {% endif +%}
 {{ m.content | upper | replace('\\n', ' ') | default('x', true) }}
    {{ m.content.split(' ') | map('trim') | select | list }}
    {{ m.content | string | e }}
{% else %}
nothing
{% endfor %}
{{ ns.n }} {{ ns.seen }} {{ ns.seen | unique | join(', ') }} {{ ns.text }}
{% set block %}  a
 b {{ ns.n // 3 }} {{ 7 / 2 }} {{ -7 % 3 }} {{ 2 ** 10 }} {{ 1e20 }} {{ 0.1 + 0.2 }}{% endset %}
{{ block | indent(2, first=true) }}
{% filter upper %}loud {{ 'é' }}{% endfilter %}
{% call(x) twice('y') %}<{{ x }}>{% endcall %}
{{ missing }}{{ missing is defined }}{{ 'a' in 'cat' and not 3 in [1, 2] }}
{{ {'b': 1, 'a': [none, true, 1.5, 'it\\'s', "q\\""]} }} {{ (1, ) }} {{ 'x' * 3 }}
{{ {'b': 1, 'A': 2} | dictsort }} {{ [3, 1, 2] | sort(reverse=true) }} {{ range(5)[1:4] | list }}
{{ '%s is %05.1f %d' % ('pi', 3.14159, 3) }} {{ '{}-{}'.format(1, 2) }}
{% raw %}{{ raw }} {% endraw %}
{{- ' a\\u00e9\\x41\\tb' 'c' }}""",
    "twice": """{% macro twice(v) %}{{ caller(v) }}{{ caller(v ~ v) }}{% endmacro %}
{% call(x) twice(messages | length) %}<{{ x }}>{% endcall %}
{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}
{{ messages | map(attribute='role') | join('/') }} {{ messages | length > 2 }}
{{ ['b', 'A', 'c'] | sort }} {{ ['b', 'A'] | max }} {{ 'title me-now' | title }}
{{ tools | tojson if tools else 'none' }}
{{ tools | tojson(separators=(',', ':'), sort_keys=true) }}
{{ '<' | safe + '<' }} {{ 'a,b,,c'.split(',', 2) }} {{ ' a  b '.split() }}
{{ 'abcabc'.replace('b', '') }}
{{ 'abc'.startswith('ab') }} {{ 'abc'.find('c') }} {{ 'abc'[1] }} {{ 'ab\\ncd'.splitlines() }}
{{ messages[0].nothing.more }}""",
}


def text_hash(text):
    """FNV-1a of 64 bits."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def render(template, variables):
    """The text, or None where Jinja2 refuses."""
    try:
        compiled = _compile_jinja_template(template)
        return compiled.render(**{"tools": None, "documents": None, **MODEL, **variables,
                                  "strftime_now": lambda form: NOW.strftime(form)})
    except Exception:  # jinja2's errors, and those of Python that templates lead to
        return None


def main():
    cases = conversations()
    own = [{"name": name, "template": text, "texts": [render(text, case) for case in cases]}
           for name, text in OWN.items()]
    real = {}
    if len(sys.argv) > 1:
        for path in sorted(pathlib.Path(sys.argv[1]).glob("*.jinja")):
            texts = [render(path.read_text(), case) for case in cases]
            real[path.name] = [None if text is None else text_hash(text) for text in texts]
    OUT.write_text(json.dumps({"model": MODEL, "conversations": cases, "templates": own,
                               "real": real}, indent=1) + "\n")


if __name__ == "__main__":
    main()
