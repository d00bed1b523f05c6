"""Downloads an artifact of the run with the token of a project secret."""

import os
import sys
import urllib.request

address = f"{os.environ['API']}/runs/{os.environ['RUN']}/artifacts/{sys.argv[1]}"
request = urllib.request.Request(address, headers={"authorization": f"Bearer {os.environ['READ_TOKEN']}"})
with urllib.request.urlopen(request) as answer, open(sys.argv[2], "wb") as file:
    file.write(answer.read())
