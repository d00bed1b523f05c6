import svc_sdk as svc

with open("{folder}/child.py", "w") as child_file:
    child_file.write('import svc_sdk as svc\nsvc.output.set(child=svc.input()["type"])\n')
child = svc.spawn("{folder}/child.py", tags=["made:here"])
other = svc.spawn(source="svc output set other=1")
svc.sleep("10ms")
svc.output.set(child=child, other=other)
