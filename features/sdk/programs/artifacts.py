import os, shutil
import svc_sdk as svc

first = not os.path.exists("{folder}/marker")
open("{folder}/marker", "w").close()
os.makedirs("{folder}/dist/lib", exist_ok=True)
for name, text in (("app.js", "app"), ("lib/a.js", "lib")):
    with open(f"{folder}/dist/{name}", "w") as file:
        file.write(text)
if not first:
    shutil.rmtree("{folder}/dist")
paths = svc.artifact_put("{folder}/dist", as_="web")
svc.sleep("10ms")
try:
    svc.artifact_put("{folder}/nowhere")
except svc.StepError as error:
    refused = error.reason
svc.output.set(paths=paths, refused=refused)
