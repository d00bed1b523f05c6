import svc_sdk as svc


class RangeError(Exception):
    pass


def charge():
    raise RangeError("card declined")


svc.step("charge", charge)
