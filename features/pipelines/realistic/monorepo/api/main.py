print("api")
