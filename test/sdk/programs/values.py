import json

import svc_sdk as svc

VALUES = [
    "hello",
    "",
    "5",
    " -7e2 ",
    "true",
    "null",
    '{"a":1}',
    '"quoted"',
    "[draft] title",
    "NaN",
    "01",
    "two\nlines\n",
    "é😀",
    "a\0b",
    "\ufeffmark",
    "\ud800",
    None,
    0,
    -1.5,
    True,
    [],
    {"b": [1, None, {"c": "ü"}]},
    {"half": "\udc00"},
]
print("pass")
for index, value in enumerate(VALUES):
    print(json.dumps(svc.step("value %d" % index, lambda: value)))
svc.sleep("1s")
