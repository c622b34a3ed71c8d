"""A proxy of the environment (HTTPS_PROXY): names that no name server knows lead to loopback ports."""
import socket
import threading


class ConnectProxy:
    """Answers CONNECT for the names that it is told, and refuses all others."""

    def __init__(self):
        self.ports, self.asked = {}, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def lead(self, name, port):
        """Connections to `name`, port 443, go to that loopback port."""
        self.ports[f"{name}:443"] = port

    def off(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        request = b""
        with client:
            try:
                while not request.endswith(b"\r\n\r\n"):
                    received = client.recv(4096)
                    if not received:
                        return
                    request += received
                target = request.split()[1].decode()
                self.asked.append(target)
                with socket.create_connection(("127.0.0.1", self.ports[target])) as server:
                    client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                    back = threading.Thread(target=pump, args=(server, client), daemon=True)
                    back.start()
                    pump(client, server)
                    back.join()
            except KeyError:
                client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            except OSError:
                pass  # one side has left


def pump(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # one side has left
