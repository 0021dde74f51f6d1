#!/bin/sh
# Makes the picture of the README: runs the analysis that it shows, and draws what a terminal shows of it.
# Needs `pessimum` on the path, cargo and python3.
set -eu
cd "$(dirname "$0")/../.."
pessimum analyze corpus/quicksort/quicksort.wasm --call 'sort(&i32[n], n)' \
    --sizes 5,8,10,20,50,100,200,300 --quiet --json docs/pictures/whole.json > /dev/null
# Only what a terminal shows.
python3 - <<'PYTHON'
import json, os
with open("docs/pictures/whole.json") as file:
    result = json.load(file)
for key in ["source", "tree", "graphs"]:
    result.pop(key, None)
for candidate in result["fit"]["candidates"]:
    candidate["residuals"] = []
# As it is typed, without where the result went.
result["parameters"]["command"] = [
    "pessimum", "analyze", "quicksort.wasm", "--call", "sort(&i32[n], n)",
    "--sizes", "5,8,10,20,50,100,200,300",
]
for size in result["sizes"] + result["training"]:
    size["effort"]["seconds"] = round(size["effort"]["seconds"], 2)
    if size["n"] != 300:
        size["input"] = None
with open("docs/pictures/quicksort.json", "w") as file:
    json.dump(result, file, indent=1)
os.remove("docs/pictures/whole.json")
PYTHON
UPDATE_PICTURES=1 cargo test --workspace --test all the_picture_of_the_readme
