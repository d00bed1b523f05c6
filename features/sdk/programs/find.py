import os

import svc_sdk

svc_sdk.step("find", lambda: "me")
print(*sorted(name for name in os.environ if name.startswith(("SVC_", "NODE_", "PYTHON"))))
