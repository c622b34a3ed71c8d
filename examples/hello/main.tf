# Installs the greeting module from the demo server that `make run` starts.

module "greeting" {
  source  = "127.0.0.1:8443/demo/greeting/local"
  version = "~> 1.0"

  name = "Koya"
}

output "greeting" {
  value = module.greeting.greeting
}
