"""Reads every page of a list, adds it up, and loads the sum: a page that was read is never read again."""

import json
import os
import urllib.request

from svc_sdk import annotate, output, step

BASE = os.environ["PAGES_URL"]


def read_page(cursor):
    def work():
        with urllib.request.urlopen(f"{BASE}/orders?cursor={cursor}", timeout=30) as answer:
            return json.load(answer)

    return work


def load(totals):
    def work():
        request = urllib.request.Request(
            f"{BASE}/totals",
            data=json.dumps(totals, sort_keys=True).encode(),
            headers={"content-type": "application/json", "idempotency-key": os.environ["SVC_IDEMPOTENCY_KEY"]},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)["receipt"]

    return work


totals, cursor, pages = {}, "0", 0
while cursor is not None:
    page = step("page", read_page(cursor), label=f"from {cursor}")
    for order in page["orders"]:
        totals[order["country"]] = totals.get(order["country"], 0) + order["cents"]
    cursor, pages = page["next"], pages + 1

receipt = step("load", load(totals))
annotate(f"{pages} pages, {sum(totals.values())} cents")
output.set(pages=pages, totals=totals, receipt=receipt)
